// Reads aws-auth as the authenticator does: each line of standard input is a JSON object of the
// ConfigMap's data, each line of standard output what became of it.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"sigs.k8s.io/aws-iam-authenticator/pkg/config"
	"sigs.k8s.io/aws-iam-authenticator/pkg/mapper/configmap"
)

type mapping struct {
	ARN      string   `json:"arn"`
	Username string   `json:"username"`
	Groups   []string `json:"groups"`
}

type parsed struct {
	Roles    []mapping `json:"roles"`
	Users    []mapping `json:"users"`
	Accounts []string  `json:"accounts"`
	Error    string    `json:"error"`
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	decoder := json.NewDecoder(in)
	encoder := json.NewEncoder(out)
	for {
		var data map[string]string
		if decoder.Decode(&data) != nil {
			return
		}
		users, roles, accounts, err := configmap.ParseMap(data)
		one := parsed{Accounts: accounts, Roles: ofRoles(roles), Users: ofUsers(users)}
		if err != nil {
			one.Error = err.Error()
		}
		if encoder.Encode(one) != nil {
			return
		}
	}
}

func ofRoles(roles []config.RoleMapping) []mapping {
	all := []mapping{}
	for _, role := range roles {
		all = append(all, mapping{role.RoleARN, role.Username, role.Groups})
	}
	return all
}

func ofUsers(users []config.UserMapping) []mapping {
	all := []mapping{}
	for _, user := range users {
		all = append(all, mapping{user.UserARN, user.Username, user.Groups})
	}
	return all
}
