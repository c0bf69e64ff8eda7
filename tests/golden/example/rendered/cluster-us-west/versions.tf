terraform {
  required_version = ">= 1.10"

  backend "s3" {
    bucket       = "deeplab-terraform-state-123456789012"
    key          = "cluster-us-west.tfstate"
    region       = "us-west-2"
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
  region              = "us-west-2"
  allowed_account_ids = ["123456789012"]

  default_tags {
    tags = {
      "cluster"     = "cluster-us-west"
      "cost-centre" = "research"
      "fleet"       = "deeplab"
      "managed-by"  = "orchestrate"
      "stack"       = "cluster-us-west"
      "team"        = "infrastructure"
    }
  }
}
