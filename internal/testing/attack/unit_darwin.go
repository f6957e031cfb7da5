package main

// maxrssUnit is what getrusage counts memory in.
const maxrssUnit = 1
