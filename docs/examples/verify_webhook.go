// Verifies a webhook: its body on standard input; id, timestamp and signature as arguments.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
)

const toleranceSeconds = 300

func isGenuine(body []byte, id, timestamp, signatures, secret string) bool {
	sentAt, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || math.Abs(float64(time.Now().Unix()-sentAt)) > toleranceSeconds {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	// Anybody can sign with an empty key.
	if err != nil || len(key) == 0 {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, entry := range strings.Split(signatures, " ") {
		if hmac.Equal([]byte(entry), []byte(expected)) {
			return true
		}
	}
	return false
}

func main() {
	body, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	if !isGenuine(body, os.Args[1], os.Args[2], os.Args[3], os.Getenv("DHARA_WEBHOOK_SECRET")) {
		log.Fatal("not from Dhara")
	}
	var event struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(body, &event); err != nil {
		log.Fatal(err)
	}
	fmt.Println(event.Type)
}
