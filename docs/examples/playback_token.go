// Lists ready videos and creates a playback token for the newest. Needs Go 1.19.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"
)

type envelope struct {
	Success bool            `json:"success"`
	Data    json.RawMessage `json:"data"`
	Error   struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

var client = &http.Client{Timeout: 10 * time.Second}

func call(method, path string, data any) (http.Header, error) {
	request, err := http.NewRequest(method, os.Getenv("DHARA_URL")+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("x-service-key", os.Getenv("DHARA_KEY"))
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var body envelope
	if err := json.NewDecoder(response.Body).Decode(&body); err != nil {
		return nil, err
	}
	if !body.Success {
		return nil, fmt.Errorf("%s: %s", body.Error.Code, body.Error.Message)
	}
	return response.Header, json.Unmarshal(body.Data, data)
}

func main() {
	var videos []struct {
		ID string `json:"id"`
	}
	if _, err := call("GET", "/v1/video?status=ready&limit=1", &videos); err != nil {
		log.Fatal(err)
	}
	if len(videos) == 0 {
		log.Fatal("No video is ready")
	}
	var token struct {
		Token string `json:"token"`
	}
	header, err := call("POST", "/v1/video/"+videos[0].ID+"/playback-token", &token)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("video", videos[0].ID)
	fmt.Println("token", token.Token)
	fmt.Println("left", header.Get("X-RateLimit-Remaining"))
}
