terraform {
  required_version = ">= 1.10"

  backend "s3" {
    bucket       = "corner-laboratory-terraform-state-210987654321"
    key          = "cluster-plain.tfstate"
    region       = "eu-central-1"
    encrypt      = true
    use_lockfile = true
    max_retries  = 15
  }

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.100"
    }
  }
}

provider "aws" {
  region              = "eu-central-1"
  allowed_account_ids = ["210987654321"]

  default_tags {
    tags = {
      "cluster"     = "cluster-plain"
      "cost-centre" = "shared"
      "fleet"       = "corner-laboratory"
      "managed-by"  = "orchestrate"
      "stack"       = "cluster-plain"
    }
  }
}
