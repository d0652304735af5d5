// The programs that run on a machine, as one, chosen by the name it is run under.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/component-base/cli"
	kubeadm "k8s.io/kubernetes/cmd/kubeadm/app"
	kubeadmerrors "k8s.io/kubernetes/cmd/kubeadm/app/util/errors"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func main() {
	name := filepath.Base(os.Args[0])
	switch name {
	case "kubelet":
		os.Exit(cli.Run(kubelet.NewKubeletCommand(context.Background())))
	case "kubeadm":
		kubeadmerrors.HandleError(kubeadm.Run())
	default:
		fmt.Fprintf(os.Stderr, "%s is not one of the programs in here; run it under a program's name\n", name)
		os.Exit(64)
	}
}
