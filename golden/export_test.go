package golden

// MeetIn makes processes meet in that folder, "" in none.
func MeetIn(folder string) { journalFolder = func() string { return folder } }

// FolderOfRun is where they meet unless told otherwise.
var FolderOfRun = folderOfRun

// NextRun makes the process one of the next run of the tests.
func NextRun() {
	next := thisRun() + "+"
	thisRun = func() string { return next }
}

// ForgetAll makes the process as new: no flag given, no file used or written.
func ForgetAll() {
	*updateFlag = modeFlag{}
	uses.paths = nil
	claims.records = nil
}
