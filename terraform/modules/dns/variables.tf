variable "zone" {
  description = "Name of both zones, public and private, such as us-west.example.net."
  type        = string
}

variable "vpc_id" {
  description = "The VPC that resolves the private zone; mesh associates the others."
  type        = string
}

variable "public_addresses" {
  description = "Elastic addresses by full host name, for the public zone."
  type        = map(string)
}

variable "private_addresses" {
  description = "Addresses inside the VPC by full host name, for the private zone."
  type        = map(string)
}

variable "private_aliases" {
  description = "Full name to full name, for the private zone: file systems and other services of AWS."
  type        = map(string)
}

variable "private_texts" {
  description = "Full name to a word, for the private zone: ids of AWS that hosts look up."
  type        = map(string)
  default     = {}
}
