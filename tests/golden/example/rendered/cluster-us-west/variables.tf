variable "ssh_public_key" {
  description = "Public half of the key for the first login, in OpenSSH's one-line form."
  type        = string

  validation {
    condition     = can(regex("^(ssh|ecdsa|sk)-[^ ]+ ", var.ssh_public_key))
    error_message = "Write ssh_public_key in fleet/fleet.yaml, such as \"ssh-ed25519 AAAA... who@where\"."
  }
}
