// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
)

// Etcd is a running etcd. Several servers may use it.
type Etcd struct {
	url     string
	process *process
}

// StartEtcd empties the folder dir and starts an etcd in it. The caller must call Stop.
func StartEtcd(binary, dir string) (*Etcd, error) {
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	client, peer, err := freePorts()
	if err != nil {
		return nil, err
	}
	url := func(port int) string { return "http://127.0.0.1:" + strconv.Itoa(port) }
	p, err := start(dir, "etcd", binary,
		"--data-dir="+filepath.Join(dir, "etcd"), "--unsafe-no-fsync", "--log-level=warn",
		"--listen-client-urls="+url(client), "--advertise-client-urls="+url(client),
		"--listen-peer-urls="+url(peer), "--initial-advertise-peer-urls="+url(peer), "--initial-cluster=default="+url(peer))
	return &Etcd{url: url(client), process: p}, err
}

// Stop stops the etcd.
func (e *Etcd) Stop() error { return e.process.stop() }

// Get returns the value of a key, or nil.
func (e *Etcd) Get(ctx context.Context, key string) ([]byte, error) {
	body, err := json.Marshal(map[string][]byte{"key": []byte(key)})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url+"/v3/kv/range", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var answer struct{ Kvs []struct{ Value []byte } }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return nil, fmt.Errorf("etcd: %s: %w", resp.Status, err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("etcd: %s", resp.Status)
	}
	if len(answer.Kvs) == 0 {
		return nil, nil
	}
	return answer.Kvs[0].Value, nil
}
