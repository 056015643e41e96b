// A provider that decodes like Go programs: keys of any case, the first JSON value of a body, parts of multipart. It prints its
// port, answers every POST, and returns at /texts all decoded texts.
package main

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

var escapes = regexp.MustCompile(`\\+(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))`)
var runs = regexp.MustCompile(`[A-Za-z0-9+/_-]{12,}`)
var lineEnds = regexp.MustCompile(`\s*\\?\r?\n\s*`)
var percents = regexp.MustCompile(`%[0-9a-fA-F]{2}`)

// Detects UTF-16 by its byte order mark or by its zero bytes.
func characters(body []byte) []byte {
	var order binary.ByteOrder
	switch {
	case len(body) < 2:
		return body
	case body[0] == 0xff && body[1] == 0xfe || body[1] == 0:
		order = binary.LittleEndian
	case body[0] == 0xfe && body[1] == 0xff || body[0] == 0:
		order = binary.BigEndian
	default:
		return bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	}
	var units []uint16
	for at := 0; at+1 < len(body); at += 2 {
		units = append(units, order.Uint16(body[at:]))
	}
	return []byte(strings.TrimPrefix(string(utf16.Decode(units)), "\ufeff"))
}

// Replaces full-width letters by ordinary letters, and removes invisible characters.
func plain(text string) string {
	return strings.Map(func(letter rune) rune {
		if letter >= 0xff01 && letter <= 0xff5e {
			return letter - 0xfee0
		}
		if unicode.In(letter, unicode.Cf, unicode.Mn, unicode.Me, unicode.Cc) || strings.ContainsRune("\u2800\u3164\uffa0\u115f\u1160", letter) {
			return -1
		}
		return letter
	}, text)
}

func unescaped(text string) string {
	for round := 0; round < 2; round++ {
		text = percents.ReplaceAllStringFunc(text, func(code string) string {
			letter, _ := strconv.ParseUint(code[1:], 16, 8)
			return string([]byte{byte(letter)})
		})
	}
	text = html.UnescapeString(html.UnescapeString(text))
	return escapes.ReplaceAllStringFunc(text, func(found string) string {
		parts := escapes.FindStringSubmatch(found)
		letter, _ := strconv.ParseUint(parts[1]+parts[2], 16, 16)
		return string(rune(letter))
	})
}

// Adds all decoded forms of a text.
func undisguised(text string, depth int, into map[string]bool) {
	undone := unescaped(text)
	for _, reading := range []string{text, undone, lineEnds.ReplaceAllString(undone, "")} {
		into[reading], into[plain(reading)] = true, true
	}
	if depth == 2 {
		return
	}
	for _, run := range runs.FindAllString(text, -1) {
		standard := strings.NewReplacer("-", "+", "_", "/").Replace(run)
		if read, err := base64.RawStdEncoding.DecodeString(standard); err == nil && utf8.Valid(characters(read)) {
			undisguised(string(characters(read)), depth+1, into)
		}
		if read, err := hex.DecodeString(run); err == nil && utf8.Valid(read) {
			undisguised(string(read), depth+1, into)
		}
	}
}

type message struct {
	Content any
	Text    string
}

// The result of decoding a body into fields: names are compared without regard to case.
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
	body = characters(body)
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
			readings := map[string]bool{}
			for _, text := range texts {
				undisguised(text, 0, readings)
			}
			all := []string{}
			for reading := range readings {
				all = append(all, reading)
			}
			json.NewEncoder(writer).Encode(all)
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
