package fieldmanager

import "errors"

// An Operation is how a manager came to own fields.
type Operation string

// The operations of managed fields.
const (
	OperationApply  Operation = "Apply"
	OperationUpdate Operation = "Update"
)

// An Owner identifies one entry of managed fields.
type Owner struct {
	Manager     string
	Operation   Operation
	APIVersion  string
	Subresource string
}

// ID is the identifier under which fieldpath.ManagedFields and
// merge.Conflicts know the owner: the JSON that the API server builds.
// It leaves out the API version of an Apply.
func (o Owner) ID() string { return "" }

// ParseOwner reads an identifier made by Owner.ID. The API version of an
// Apply is empty.
func ParseOwner(id string) (Owner, error) { return Owner{}, errors.New("not built yet") }

// String describes the owner as the API server's conflict messages do:
// "kubectl" using v1, "kubelet" with subresource "status" using v1; an Apply
// is only its quoted name.
func (o Owner) String() string { return "" }
