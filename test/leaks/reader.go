// A provider that reads as Go programs do: keys of any case, the first JSON value of a body, parts of multipart. It prints its
// port, answers every POST, and tells at /texts what it could read.
package main

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

type message struct {
	Content any
	Text    string
}

// What a decoder with fields makes of a body: names are compared without regard to case.
type request struct {
	Prompt, Input, System, Instructions any
	Messages                            []message
}

var mutex sync.Mutex
var texts []string

func collect(value any) {
	switch known := value.(type) {
	case string:
		texts = append(texts, known)
	case []any:
		joined := ""
		for _, member := range known {
			if part, ok := member.(map[string]any); ok {
				if text, ok := part["text"].(string); ok {
					joined += text
				}
			}
			collect(member)
		}
		texts = append(texts, joined)
	case map[string]any:
		for key, member := range known {
			texts = append(texts, key)
			collect(member)
		}
	}
}

func read(body []byte) {
	texts = append(texts, string(body))
	var known request
	if json.NewDecoder(bytes.NewReader(body)).Decode(&known) == nil {
		collect([]any{known.Prompt, known.Input, known.System, known.Instructions})
		for _, one := range known.Messages {
			collect(one.Content)
			texts = append(texts, one.Text)
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	for {
		var any any
		if decoder.Decode(&any) != nil {
			break
		}
		collect(any)
	}
	if form, err := url.ParseQuery(string(body)); err == nil {
		for key, values := range form {
			texts = append(append(texts, key), values...)
		}
	}
}

func inflated(body []byte, coding string) []byte {
	var reader io.ReadCloser
	var err error
	switch strings.ToLower(strings.TrimSpace(coding)) {
	case "gzip":
		reader, err = gzip.NewReader(bytes.NewReader(body))
	case "deflate":
		reader, err = zlib.NewReader(bytes.NewReader(body))
	default:
		return body
	}
	if err != nil {
		return body
	}
	plain, _ := io.ReadAll(reader)
	return plain
}

func main() {
	http.HandleFunc("/", func(writer http.ResponseWriter, call *http.Request) {
		mutex.Lock()
		defer mutex.Unlock()
		writer.Header().Set("content-type", "application/json")
		if call.Method == "GET" {
			json.NewEncoder(writer).Encode(append([]string{}, texts...))
			texts = nil
			return
		}
		body, _ := io.ReadAll(call.Body)
		body = inflated(body, call.Header.Get("Content-Encoding"))
		texts = append(texts, call.URL.String())
		read(body)
		if kind, parameters, err := mime.ParseMediaType(call.Header.Get("Content-Type")); err == nil && strings.HasPrefix(kind, "multipart/") {
			parts := multipart.NewReader(bytes.NewReader(body), parameters["boundary"])
			for part, err := parts.NextPart(); err == nil; part, err = parts.NextPart() {
				content, _ := io.ReadAll(part)
				read(content)
			}
		}
		writer.Write([]byte(`{"choices":[]}`))
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	http.Serve(listener, nil)
}
