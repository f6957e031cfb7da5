package golden

// ForgetAll makes the process as new: no flag given, no file used or written.
func ForgetAll() {
	*updateFlag = modeFlag{}
	used.Clear()
	clear(claims.of)
}
