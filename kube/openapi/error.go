package openapi

// Error is a finding in a document. It is used for errors and for warnings.
type Error struct {
	// Document is the name that was given for the document.
	Document string
	// Line is the line of a syntax error, counted from 1, otherwise 0.
	Line int
	// Path is the place in the document, such as
	// spec.versions[0].schema.openAPIV3Schema.properties.spec. Empty for the
	// document as a whole.
	Path string
	// Message says what was found and what was expected.
	Message string
}

// Error returns document, path and message.
func (e *Error) Error() string {
	s := e.Document
	if e.Path != "" {
		s += ": " + e.Path
	}
	return s + ": " + e.Message
}
