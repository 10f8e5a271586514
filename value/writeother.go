package value

func appendOther(b []byte, v any, depth int) ([]byte, error) {
	return b, errNoJSON
}
