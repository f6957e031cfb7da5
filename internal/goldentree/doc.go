// Package goldentree finds golden files: their names, their folders, which exist, which specs used
// them, and the command that accepts a change. Package golden reads and updates them.
package goldentree
