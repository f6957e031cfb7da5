// Package goldentree finds golden files and what belongs to them: their names and folders, the
// specs that used them, and the command that accepts a change. Package golden reads and updates the
// files.
package goldentree
