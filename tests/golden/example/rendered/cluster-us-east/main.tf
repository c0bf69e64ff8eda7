# Overflow for large training runs

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
    "base"       = local.vendors["debian-12"]
    "bastion"    = local.vendors["debian-12"]
    "cpu-worker" = local.vendors["debian-12"]
    "gpu-worker" = local.vendors["debian-12"]
  }

  # Named, not read: this stack reads no other.
  boundary = "arn:${data.aws_partition.current.partition}:iam::123456789012:policy/deeplab-node-boundary"
}

resource "aws_key_pair" "this" {
  key_name   = "deeplab-cluster-us-east"
  public_key = var.ssh_public_key
}

module "network" {
  source = "../../../../../terraform/modules/network"

  region = "us-east-1"
  range  = "10.2.0.0/16"
  nat    = "single"

  names = {
    vpc                = "deeplab-cluster-us-east"
    internet_gateway   = "deeplab-cluster-us-east"
    public_route_table = "deeplab-cluster-us-east-public"
    s3_endpoint        = "deeplab-cluster-us-east-s3"
  }

  zones = [
    {
      zone         = "us-east-1a"
      nat_name     = "deeplab-cluster-us-east-nat-us-east-1a"
      table_name   = "deeplab-cluster-us-east-private-us-east-1a"
      public_name  = "deeplab-cluster-us-east-public-us-east-1a"
      public       = "10.2.96.0/24"
      private_name = "deeplab-cluster-us-east-private-us-east-1a"
      private      = "10.2.0.0/19"
    },
    {
      zone         = "us-east-1b"
      nat_name     = "deeplab-cluster-us-east-nat-us-east-1b"
      table_name   = "deeplab-cluster-us-east-private-us-east-1b"
      public_name  = "deeplab-cluster-us-east-public-us-east-1b"
      public       = "10.2.97.0/24"
      private_name = "deeplab-cluster-us-east-private-us-east-1b"
      private      = "10.2.32.0/19"
    },
    {
      zone         = "us-east-1d"
      nat_name     = "deeplab-cluster-us-east-nat-us-east-1d"
      table_name   = "deeplab-cluster-us-east-private-us-east-1d"
      public_name  = "deeplab-cluster-us-east-public-us-east-1d"
      public       = "10.2.98.0/24"
      private_name = "deeplab-cluster-us-east-private-us-east-1d"
      private      = "10.2.64.0/19"
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
      name           = "deeplab-cluster-us-east-bastion"
      security_group = "deeplab-cluster-us-east-bastion"
      role           = "deeplab-cluster-us-east-bastion"
      instance_type  = "t3.small"
      image          = local.images["bastion"]
      subnet_id      = module.network.public_subnet_ids["us-east-1a"]
      open = {
        protocol = "tcp"
        port     = 22
        from     = ["0.0.0.0/0"]
      }
    }
    vpn = {
      name           = "deeplab-cluster-us-east-vpn"
      security_group = "deeplab-cluster-us-east-vpn"
      role           = "deeplab-cluster-us-east-vpn"
      instance_type  = "t3.medium"
      image          = local.images["base"]
      subnet_id      = module.network.public_subnet_ids["us-east-1a"]
      clients        = "10.80.16.0/20"
      open = {
        protocol = "udp"
        port     = 1194
        from     = ["0.0.0.0/0"]
      }
    }
  }
}

module "storage" {
  source = "../../../../../terraform/modules/storage"

  vpc_id              = module.network.vpc_id
  subnet_ids          = module.network.private_subnet_ids
  client_ranges       = ["10.2.0.0/16"]
  security_group_name = "deeplab-cluster-us-east-efs"

  filesystems = {
    home = {
      name               = "deeplab-cluster-us-east-home"
      throughput         = "elastic"
      archive_after_days = 30
    }
  }

  access_points = {
    "grace.home.nfs.us-east.deeplab.example.net" = {
      filesystem = "home"
      path       = "/grace"
      owner = {
        uid = 2002
        gid = 2002
      }
      mode = "0700"
      as   = true
    }
  }

  client_roles = [
    module.node_group_cpu.role_arn,
    module.node_group_gpu-a100.role_arn,
    module.node_group_gpu-a10g.role_arn,
  ]

  buckets = {
    datasets = {
      name               = "deeplab-us-east-datasets-123456789012"
      keep_versions_days = 90
    }
    results = {
      name               = "deeplab-us-east-results-123456789012"
      keep_versions_days = 30
    }
  }
}

module "dns" {
  source = "../../../../../terraform/modules/dns"

  zone   = "us-east.deeplab.example.net"
  vpc_id = module.network.vpc_id

  public_addresses = {
    "bastion.us-east.deeplab.example.net" = module.access.addresses["bastion"]
    "vpn.us-east.deeplab.example.net"     = module.access.addresses["vpn"]
  }

  private_addresses = {
    "bastion.us-east.deeplab.example.net" = module.access.private_addresses["bastion"]
    "vpn.us-east.deeplab.example.net"     = module.access.private_addresses["vpn"]
  }

  private_aliases = {
    "home.nfs.us-east.deeplab.example.net" = module.storage.filesystem_hosts["home"]
  }

  private_texts = {
    "grace.home.nfs.us-east.deeplab.example.net" = module.storage.access_point_ids["grace.home.nfs.us-east.deeplab.example.net"]
  }
}

module "node_group_cpu" {
  source = "../../../../../terraform/modules/node_group"

  names = {
    group           = "deeplab-cluster-us-east-cpu"
    launch_template = "deeplab-cluster-us-east-cpu"
    role            = "deeplab-cluster-us-east-cpu"
    security_group  = "deeplab-cluster-us-east-cpu"
    host            = "deeplab-cluster-us-east-cpu"
  }

  vpc_id          = module.network.vpc_id
  subnet_ids      = [for zone in ["us-east-1a", "us-east-1b", "us-east-1d"] : module.network.private_subnet_ids[zone]]
  internal_ranges = ["10.0.0.0/10", "10.64.0.0/12", "10.80.0.0/14", "10.128.0.0/9"]

  image          = local.images["cpu-worker"]
  key_name       = aws_key_pair.this.key_name
  instance_types = ["c5.9xlarge"]
  capacity       = "on-demand"
  on_demand_base = 0
  size           = { min = 0, max = 100 }
  disk_gb        = 200

  bucket_names         = ["deeplab-us-east-datasets-123456789012", "deeplab-us-east-results-123456789012"]
  permissions_boundary = local.boundary

  tags = {
    "cluster"     = "cluster-us-east"
    "cost-centre" = "research"
    "fleet"       = "deeplab"
    "group"       = "cpu"
    "managed-by"  = "orchestrate"
    "role"        = "cpu-worker"
    "stack"       = "cluster-us-east"
    "team"        = "infrastructure"
  }

  autoscaler_tags = {
    "k8s.io/cluster-autoscaler/cluster-us-east"                           = "owned"
    "k8s.io/cluster-autoscaler/enabled"                                   = "true"
    "k8s.io/cluster-autoscaler/node-template/resources/ephemeral-storage" = "200Gi"
  }
}

# Distributed training
module "node_group_gpu-a100" {
  source = "../../../../../terraform/modules/node_group"

  names = {
    group           = "deeplab-cluster-us-east-gpu-a100"
    launch_template = "deeplab-cluster-us-east-gpu-a100"
    role            = "deeplab-cluster-us-east-gpu-a100"
    security_group  = "deeplab-cluster-us-east-gpu-a100"
    host            = "deeplab-cluster-us-east-gpu-a100"
  }

  vpc_id          = module.network.vpc_id
  subnet_ids      = [for zone in ["us-east-1d"] : module.network.private_subnet_ids[zone]]
  internal_ranges = ["10.0.0.0/10", "10.64.0.0/12", "10.80.0.0/14", "10.128.0.0/9"]

  image          = local.images["gpu-worker"]
  key_name       = aws_key_pair.this.key_name
  instance_types = ["p4d.24xlarge"]
  capacity       = "on-demand"
  on_demand_base = 0
  size           = { min = 0, max = 64 }
  disk_gb        = 1000

  bucket_names         = ["deeplab-us-east-datasets-123456789012", "deeplab-us-east-results-123456789012"]
  permissions_boundary = local.boundary

  tags = {
    "cluster"     = "cluster-us-east"
    "cost-centre" = "research"
    "fleet"       = "deeplab"
    "group"       = "gpu-a100"
    "managed-by"  = "orchestrate"
    "role"        = "gpu-worker"
    "stack"       = "cluster-us-east"
    "team"        = "infrastructure"
  }

  autoscaler_tags = {
    "k8s.io/cluster-autoscaler/cluster-us-east"                           = "owned"
    "k8s.io/cluster-autoscaler/enabled"                                   = "true"
    "k8s.io/cluster-autoscaler/node-template/label/deeplab/card"          = "a100"
    "k8s.io/cluster-autoscaler/node-template/resources/ephemeral-storage" = "1000Gi"
    "k8s.io/cluster-autoscaler/node-template/resources/nvidia.com/gpu"    = "8"
    "k8s.io/cluster-autoscaler/node-template/taint/nvidia.com/gpu"        = "present:NoSchedule"
  }
}

# Cheap single-GPU jobs, half of them on spot
module "node_group_gpu-a10g" {
  source = "../../../../../terraform/modules/node_group"

  names = {
    group           = "deeplab-cluster-us-east-gpu-a10g"
    launch_template = "deeplab-cluster-us-east-gpu-a10g"
    role            = "deeplab-cluster-us-east-gpu-a10g"
    security_group  = "deeplab-cluster-us-east-gpu-a10g"
    host            = "deeplab-cluster-us-east-gpu-a10g"
  }

  vpc_id          = module.network.vpc_id
  subnet_ids      = [for zone in ["us-east-1a", "us-east-1b", "us-east-1d"] : module.network.private_subnet_ids[zone]]
  internal_ranges = ["10.0.0.0/10", "10.64.0.0/12", "10.80.0.0/14", "10.128.0.0/9"]

  image          = local.images["gpu-worker"]
  key_name       = aws_key_pair.this.key_name
  instance_types = ["g5.12xlarge"]
  capacity       = "mixed"
  on_demand_base = 2
  size           = { min = 0, max = 64 }
  disk_gb        = 500

  bucket_names         = ["deeplab-us-east-datasets-123456789012", "deeplab-us-east-results-123456789012"]
  permissions_boundary = local.boundary

  tags = {
    "cluster"     = "cluster-us-east"
    "cost-centre" = "research"
    "fleet"       = "deeplab"
    "group"       = "gpu-a10g"
    "managed-by"  = "orchestrate"
    "role"        = "gpu-worker"
    "stack"       = "cluster-us-east"
    "team"        = "infrastructure"
  }

  autoscaler_tags = {
    "k8s.io/cluster-autoscaler/cluster-us-east"                           = "owned"
    "k8s.io/cluster-autoscaler/enabled"                                   = "true"
    "k8s.io/cluster-autoscaler/node-template/label/deeplab/card"          = "a10g"
    "k8s.io/cluster-autoscaler/node-template/resources/ephemeral-storage" = "500Gi"
    "k8s.io/cluster-autoscaler/node-template/resources/nvidia.com/gpu"    = "4"
    "k8s.io/cluster-autoscaler/node-template/taint/nvidia.com/gpu"        = "present:NoSchedule"
  }
}
