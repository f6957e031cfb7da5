package golden

// MeetIn makes processes meet in that folder, "" in none.
func MeetIn(folder string) { journalFolder = func() string { return folder } }

// FolderOfRun is where they meet unless told otherwise.
var FolderOfRun = folderOfRun

// ForgetAll makes the process as new: no flag given, no file used or written.
func ForgetAll() {
	*updateFlag = modeFlag{}
	uses.paths = nil
	claims.records = nil
}
