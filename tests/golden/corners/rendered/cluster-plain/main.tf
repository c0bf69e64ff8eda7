data "aws_partition" "current" {}

data "aws_ami" "vendor" {
  for_each = {
    "debian-12" = {
      owner        = "136693071363"
      name         = "debian-12-amd64-*"
      architecture = "x86_64"
    }
  }

  owners      = [each.value.owner]
  most_recent = true

  filter {
    name   = "name"
    values = [each.value.name]
  }

  filter {
    name   = "architecture"
    values = [each.value.architecture]
  }

  filter {
    name   = "virtualization-type"
    values = ["hvm"]
  }
}

locals {
  vendors = {
    for name, image in data.aws_ami.vendor : name => { id = image.id, root_device = image.root_device_name }
  }

  images = {
    "debian-12" = local.vendors["debian-12"]
  }

  # Named, not read: this stack reads no other.
  boundary = "arn:${data.aws_partition.current.partition}:iam::210987654321:policy/corner-laboratory-node-boundary"
}

resource "aws_key_pair" "this" {
  key_name   = "corner-laboratory-cluster-plain"
  public_key = var.ssh_public_key
}

module "network" {
  source = "../../../../../terraform/modules/network"

  region = "eu-central-1"
  range  = "10.1.0.0/16"
  nat    = "single"

  names = {
    vpc                = "corner-laboratory-cluster-plain"
    internet_gateway   = "corner-laboratory-cluster-plain"
    public_route_table = "corner-laboratory-cluster-plain-public"
    s3_endpoint        = "corner-laboratory-cluster-plain-s3"
  }

  zones = [
    {
      zone         = "eu-central-1a"
      nat_name     = "corner-laboratory-cluster-plain-nat-eu-central-1a"
      table_name   = "corner-laboratory-cluster-plain-private-eu-central-1a"
      public_name  = "corner-laboratory-cluster-plain-public-eu-central-1a"
      public       = "10.1.32.0/24"
      private_name = "corner-laboratory-cluster-plain-private-eu-central-1a"
      private      = "10.1.0.0/19"
    },
  ]
}

module "access" {
  source = "../../../../../terraform/modules/access"

  vpc_id               = module.network.vpc_id
  route_table_ids      = module.network.route_table_ids
  key_name             = aws_key_pair.this.key_name
  permissions_boundary = local.boundary

  hosts = {
    bastion = {
      name           = "corner-laboratory-cluster-plain-bastion"
      security_group = "corner-laboratory-cluster-plain-bastion"
      role           = "corner-laboratory-cluster-plain-bastion"
      instance_type  = "t3.small"
      image          = local.images["debian-12"]
      subnet_id      = module.network.public_subnet_ids["eu-central-1a"]
      open = {
        protocol = "tcp"
        port     = 22
        from     = ["0.0.0.0/0"]
      }
    }
    vpn = {
      name           = "corner-laboratory-cluster-plain-vpn"
      security_group = "corner-laboratory-cluster-plain-vpn"
      role           = "corner-laboratory-cluster-plain-vpn"
      instance_type  = "t3.medium"
      image          = local.images["debian-12"]
      subnet_id      = module.network.public_subnet_ids["eu-central-1a"]
      clients        = "10.80.0.0/20"
      open = {
        protocol = "tcp"
        port     = 443
        from     = ["198.51.100.0/24", "203.0.113.0/24"]
      }
    }
  }
}

module "storage" {
  source = "../../../../../terraform/modules/storage"

  vpc_id              = module.network.vpc_id
  subnet_ids          = module.network.private_subnet_ids
  client_ranges       = ["10.1.0.0/16"]
  security_group_name = "corner-laboratory-cluster-plain-efs"

  filesystems = {
    home = {
      name               = "corner-laboratory-cluster-plain-home"
      throughput         = "bursting"
      archive_after_days = 0
    }
    scratch = {
      name               = "corner-laboratory-cluster-plain-scratch"
      throughput         = "elastic"
      archive_after_days = 30
    }
  }

  access_points = {
    "all.scratch.nfs.plain.corners.example.org" = {
      filesystem = "scratch"
      path       = "/all"
      owner = {
        uid = 0
        gid = 1990
      }
      mode = "2775"
      as   = false
    }
  }

  client_roles = []

  buckets = {}
}

module "dns" {
  source = "../../../../../terraform/modules/dns"

  zone   = "plain.corners.example.org"
  vpc_id = module.network.vpc_id

  public_addresses = {
    "bastion.plain.corners.example.org" = module.access.addresses["bastion"]
    "vpn.plain.corners.example.org"     = module.access.addresses["vpn"]
  }

  private_addresses = {
    "bastion.plain.corners.example.org" = module.access.private_addresses["bastion"]
    "vpn.plain.corners.example.org"     = module.access.private_addresses["vpn"]
  }

  private_aliases = {
    "home.nfs.plain.corners.example.org"    = module.storage.filesystem_hosts["home"]
    "scratch.nfs.plain.corners.example.org" = module.storage.filesystem_hosts["scratch"]
  }

  private_texts = {
    "all.scratch.nfs.plain.corners.example.org" = module.storage.access_point_ids["all.scratch.nfs.plain.corners.example.org"]
  }
}
