# Main region, closest to the San Francisco office

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
    "ssh-node"   = local.vendors["debian-12"]
  }

  # Named, not read: this stack reads no other.
  boundary = "arn:${data.aws_partition.current.partition}:iam::123456789012:policy/deeplab-node-boundary"
}

resource "aws_key_pair" "this" {
  key_name   = "deeplab-cluster-us-west"
  public_key = var.ssh_public_key
}

module "network" {
  source = "../../../../../terraform/modules/network"

  region = "us-west-2"
  range  = "10.3.0.0/16"
  nat    = "per-zone"

  names = {
    vpc                = "deeplab-cluster-us-west"
    internet_gateway   = "deeplab-cluster-us-west"
    public_route_table = "deeplab-cluster-us-west-public"
    s3_endpoint        = "deeplab-cluster-us-west-s3"
  }

  zones = [
    {
      zone         = "us-west-2a"
      nat_name     = "deeplab-cluster-us-west-nat-us-west-2a"
      table_name   = "deeplab-cluster-us-west-private-us-west-2a"
      public_name  = "deeplab-cluster-us-west-public-us-west-2a"
      public       = "10.3.96.0/24"
      private_name = "deeplab-cluster-us-west-private-us-west-2a"
      private      = "10.3.0.0/19"
    },
    {
      zone         = "us-west-2b"
      nat_name     = "deeplab-cluster-us-west-nat-us-west-2b"
      table_name   = "deeplab-cluster-us-west-private-us-west-2b"
      public_name  = "deeplab-cluster-us-west-public-us-west-2b"
      public       = "10.3.97.0/24"
      private_name = "deeplab-cluster-us-west-private-us-west-2b"
      private      = "10.3.32.0/19"
    },
    {
      zone         = "us-west-2c"
      nat_name     = "deeplab-cluster-us-west-nat-us-west-2c"
      table_name   = "deeplab-cluster-us-west-private-us-west-2c"
      public_name  = "deeplab-cluster-us-west-public-us-west-2c"
      public       = "10.3.98.0/24"
      private_name = "deeplab-cluster-us-west-private-us-west-2c"
      private      = "10.3.64.0/19"
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
      name           = "deeplab-cluster-us-west-bastion"
      security_group = "deeplab-cluster-us-west-bastion"
      role           = "deeplab-cluster-us-west-bastion"
      instance_type  = "t3.small"
      image          = local.images["bastion"]
      subnet_id      = module.network.public_subnet_ids["us-west-2a"]
      open = {
        protocol = "tcp"
        port     = 22
        from     = ["0.0.0.0/0"]
      }
    }
    vpn = {
      name           = "deeplab-cluster-us-west-vpn"
      security_group = "deeplab-cluster-us-west-vpn"
      role           = "deeplab-cluster-us-west-vpn"
      instance_type  = "t3.medium"
      image          = local.images["base"]
      subnet_id      = module.network.public_subnet_ids["us-west-2a"]
      clients        = "10.80.32.0/20"
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
  client_ranges       = ["10.3.0.0/16"]
  security_group_name = "deeplab-cluster-us-west-efs"

  filesystems = {
    home = {
      name               = "deeplab-cluster-us-west-home"
      throughput         = "elastic"
      archive_after_days = 30
    }
  }

  access_points = {
    "grace.home.nfs.us-west.deeplab.example.net" = {
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
    module.node_group_adhoc.role_arn,
    module.node_group_cpu.role_arn,
    module.node_group_cpu-spot.role_arn,
    module.node_group_gpu-a100.role_arn,
    module.node_group_gpu-a10g.role_arn,
    module.node_group_gpu-v100.role_arn,
  ]

  buckets = {
    datasets = {
      name               = "deeplab-us-west-datasets-123456789012"
      keep_versions_days = 90
    }
    results = {
      name               = "deeplab-us-west-results-123456789012"
      keep_versions_days = 30
    }
  }
}

module "dns" {
  source = "../../../../../terraform/modules/dns"

  zone   = "us-west.deeplab.example.net"
  vpc_id = module.network.vpc_id

  public_addresses = {
    "bastion.us-west.deeplab.example.net" = module.access.addresses["bastion"]
    "vpn.us-west.deeplab.example.net"     = module.access.addresses["vpn"]
  }

  private_addresses = {
    "bastion.us-west.deeplab.example.net" = module.access.private_addresses["bastion"]
    "vpn.us-west.deeplab.example.net"     = module.access.private_addresses["vpn"]
  }

  private_aliases = {
    "home.nfs.us-west.deeplab.example.net" = module.storage.filesystem_hosts["home"]
  }

  private_texts = {
    "grace.home.nfs.us-west.deeplab.example.net" = module.storage.access_point_ids["grace.home.nfs.us-west.deeplab.example.net"]
  }
}

# Ad-hoc SSH nodes for interactive experiments
module "node_group_adhoc" {
  source = "../../../../../terraform/modules/node_group"

  names = {
    group           = "deeplab-cluster-us-west-adhoc"
    launch_template = "deeplab-cluster-us-west-adhoc"
    role            = "deeplab-cluster-us-west-adhoc"
    security_group  = "deeplab-cluster-us-west-adhoc"
    host            = "deeplab-cluster-us-west-adhoc"
  }

  vpc_id          = module.network.vpc_id
  subnet_ids      = [for zone in ["us-west-2a", "us-west-2b", "us-west-2c"] : module.network.private_subnet_ids[zone]]
  internal_ranges = ["10.0.0.0/10", "10.64.0.0/12", "10.80.0.0/14", "10.128.0.0/9"]

  image          = local.images["ssh-node"]
  key_name       = aws_key_pair.this.key_name
  instance_types = ["c5.4xlarge"]
  capacity       = "on-demand"
  on_demand_base = 0
  size           = { min = 1, max = 8 }
  disk_gb        = 500

  bucket_names         = ["deeplab-us-west-datasets-123456789012", "deeplab-us-west-results-123456789012"]
  permissions_boundary = local.boundary

  tags = {
    "cluster"     = "cluster-us-west"
    "cost-centre" = "research"
    "fleet"       = "deeplab"
    "group"       = "adhoc"
    "managed-by"  = "orchestrate"
    "role"        = "ssh-node"
    "stack"       = "cluster-us-west"
    "team"        = "infrastructure"
  }

  autoscaler_tags = {}
}

# Data preparation and serving
module "node_group_cpu" {
  source = "../../../../../terraform/modules/node_group"

  names = {
    group           = "deeplab-cluster-us-west-cpu"
    launch_template = "deeplab-cluster-us-west-cpu"
    role            = "deeplab-cluster-us-west-cpu"
    security_group  = "deeplab-cluster-us-west-cpu"
    host            = "deeplab-cluster-us-west-cpu"
  }

  vpc_id          = module.network.vpc_id
  subnet_ids      = [for zone in ["us-west-2a", "us-west-2b", "us-west-2c"] : module.network.private_subnet_ids[zone]]
  internal_ranges = ["10.0.0.0/10", "10.64.0.0/12", "10.80.0.0/14", "10.128.0.0/9"]

  image          = local.images["cpu-worker"]
  key_name       = aws_key_pair.this.key_name
  instance_types = ["c5.9xlarge"]
  capacity       = "on-demand"
  on_demand_base = 0
  size           = { min = 1, max = 100 }
  disk_gb        = 200

  bucket_names         = ["deeplab-us-west-datasets-123456789012", "deeplab-us-west-results-123456789012"]
  permissions_boundary = local.boundary

  tags = {
    "cluster"     = "cluster-us-west"
    "cost-centre" = "research"
    "fleet"       = "deeplab"
    "group"       = "cpu"
    "managed-by"  = "orchestrate"
    "role"        = "cpu-worker"
    "stack"       = "cluster-us-west"
    "team"        = "infrastructure"
  }

  autoscaler_tags = {
    "k8s.io/cluster-autoscaler/cluster-us-west"                           = "owned"
    "k8s.io/cluster-autoscaler/enabled"                                   = "true"
    "k8s.io/cluster-autoscaler/node-template/resources/ephemeral-storage" = "200Gi"
  }
}

# Work that may be interrupted
module "node_group_cpu-spot" {
  source = "../../../../../terraform/modules/node_group"

  names = {
    group           = "deeplab-cluster-us-west-cpu-spot"
    launch_template = "deeplab-cluster-us-west-cpu-spot"
    role            = "deeplab-cluster-us-west-cpu-spot"
    security_group  = "deeplab-cluster-us-west-cpu-spot"
    host            = "deeplab-cluster-us-west-cpu-spot"
  }

  vpc_id          = module.network.vpc_id
  subnet_ids      = [for zone in ["us-west-2a", "us-west-2b", "us-west-2c"] : module.network.private_subnet_ids[zone]]
  internal_ranges = ["10.0.0.0/10", "10.64.0.0/12", "10.80.0.0/14", "10.128.0.0/9"]

  image          = local.images["cpu-worker"]
  key_name       = aws_key_pair.this.key_name
  instance_types = ["c5.9xlarge", "c5d.9xlarge"]
  capacity       = "spot"
  on_demand_base = 0
  size           = { min = 0, max = 200 }
  disk_gb        = 200

  bucket_names         = ["deeplab-us-west-datasets-123456789012", "deeplab-us-west-results-123456789012"]
  permissions_boundary = local.boundary

  tags = {
    "cluster"     = "cluster-us-west"
    "cost-centre" = "research"
    "fleet"       = "deeplab"
    "group"       = "cpu-spot"
    "managed-by"  = "orchestrate"
    "role"        = "cpu-worker"
    "stack"       = "cluster-us-west"
    "team"        = "infrastructure"
  }

  autoscaler_tags = {
    "k8s.io/cluster-autoscaler/cluster-us-west"                           = "owned"
    "k8s.io/cluster-autoscaler/enabled"                                   = "true"
    "k8s.io/cluster-autoscaler/node-template/label/deeplab/interruptible" = "true"
    "k8s.io/cluster-autoscaler/node-template/resources/ephemeral-storage" = "200Gi"
    "k8s.io/cluster-autoscaler/node-template/taint/deeplab/interruptible" = "true:NoSchedule"
  }
}

# Distributed training
module "node_group_gpu-a100" {
  source = "../../../../../terraform/modules/node_group"

  names = {
    group           = "deeplab-cluster-us-west-gpu-a100"
    launch_template = "deeplab-cluster-us-west-gpu-a100"
    role            = "deeplab-cluster-us-west-gpu-a100"
    security_group  = "deeplab-cluster-us-west-gpu-a100"
    host            = "deeplab-cluster-us-west-gpu-a100"
  }

  vpc_id          = module.network.vpc_id
  subnet_ids      = [for zone in ["us-west-2a"] : module.network.private_subnet_ids[zone]]
  internal_ranges = ["10.0.0.0/10", "10.64.0.0/12", "10.80.0.0/14", "10.128.0.0/9"]

  image          = local.images["gpu-worker"]
  key_name       = aws_key_pair.this.key_name
  instance_types = ["p4d.24xlarge"]
  capacity       = "on-demand"
  on_demand_base = 0
  size           = { min = 0, max = 96 }
  disk_gb        = 1000

  bucket_names         = ["deeplab-us-west-datasets-123456789012", "deeplab-us-west-results-123456789012"]
  permissions_boundary = local.boundary

  tags = {
    "cluster"     = "cluster-us-west"
    "cost-centre" = "research"
    "fleet"       = "deeplab"
    "group"       = "gpu-a100"
    "managed-by"  = "orchestrate"
    "role"        = "gpu-worker"
    "stack"       = "cluster-us-west"
    "team"        = "infrastructure"
  }

  autoscaler_tags = {
    "k8s.io/cluster-autoscaler/cluster-us-west"                           = "owned"
    "k8s.io/cluster-autoscaler/enabled"                                   = "true"
    "k8s.io/cluster-autoscaler/node-template/label/deeplab/card"          = "a100"
    "k8s.io/cluster-autoscaler/node-template/resources/ephemeral-storage" = "1000Gi"
    "k8s.io/cluster-autoscaler/node-template/resources/nvidia.com/gpu"    = "8"
    "k8s.io/cluster-autoscaler/node-template/taint/nvidia.com/gpu"        = "present:NoSchedule"
  }
}

# Single-GPU jobs, notebooks and serving
module "node_group_gpu-a10g" {
  source = "../../../../../terraform/modules/node_group"

  names = {
    group           = "deeplab-cluster-us-west-gpu-a10g"
    launch_template = "deeplab-cluster-us-west-gpu-a10g"
    role            = "deeplab-cluster-us-west-gpu-a10g"
    security_group  = "deeplab-cluster-us-west-gpu-a10g"
    host            = "deeplab-cluster-us-west-gpu-a10g"
  }

  vpc_id          = module.network.vpc_id
  subnet_ids      = [for zone in ["us-west-2a", "us-west-2b", "us-west-2c"] : module.network.private_subnet_ids[zone]]
  internal_ranges = ["10.0.0.0/10", "10.64.0.0/12", "10.80.0.0/14", "10.128.0.0/9"]

  image          = local.images["gpu-worker"]
  key_name       = aws_key_pair.this.key_name
  instance_types = ["g5.12xlarge"]
  capacity       = "on-demand"
  on_demand_base = 0
  size           = { min = 0, max = 64 }
  disk_gb        = 500

  bucket_names         = ["deeplab-us-west-datasets-123456789012", "deeplab-us-west-results-123456789012"]
  permissions_boundary = local.boundary

  tags = {
    "cluster"     = "cluster-us-west"
    "cost-centre" = "research"
    "fleet"       = "deeplab"
    "group"       = "gpu-a10g"
    "managed-by"  = "orchestrate"
    "role"        = "gpu-worker"
    "stack"       = "cluster-us-west"
    "team"        = "infrastructure"
  }

  autoscaler_tags = {
    "k8s.io/cluster-autoscaler/cluster-us-west"                           = "owned"
    "k8s.io/cluster-autoscaler/enabled"                                   = "true"
    "k8s.io/cluster-autoscaler/node-template/label/deeplab/card"          = "a10g"
    "k8s.io/cluster-autoscaler/node-template/resources/ephemeral-storage" = "500Gi"
    "k8s.io/cluster-autoscaler/node-template/resources/nvidia.com/gpu"    = "4"
    "k8s.io/cluster-autoscaler/node-template/taint/nvidia.com/gpu"        = "present:NoSchedule"
  }
}

# The older cards, for low-priority jobs
module "node_group_gpu-v100" {
  source = "../../../../../terraform/modules/node_group"

  names = {
    group           = "deeplab-cluster-us-west-gpu-v100"
    launch_template = "deeplab-cluster-us-west-gpu-v100"
    role            = "deeplab-cluster-us-west-gpu-v100"
    security_group  = "deeplab-cluster-us-west-gpu-v100"
    host            = "deeplab-cluster-us-west-gpu-v100"
  }

  vpc_id          = module.network.vpc_id
  subnet_ids      = [for zone in ["us-west-2b", "us-west-2c"] : module.network.private_subnet_ids[zone]]
  internal_ranges = ["10.0.0.0/10", "10.64.0.0/12", "10.80.0.0/14", "10.128.0.0/9"]

  image          = local.images["gpu-worker"]
  key_name       = aws_key_pair.this.key_name
  instance_types = ["p3dn.24xlarge"]
  capacity       = "on-demand"
  on_demand_base = 0
  size           = { min = 0, max = 32 }
  disk_gb        = 500

  bucket_names         = ["deeplab-us-west-datasets-123456789012", "deeplab-us-west-results-123456789012"]
  permissions_boundary = local.boundary

  tags = {
    "cluster"     = "cluster-us-west"
    "cost-centre" = "research"
    "fleet"       = "deeplab"
    "group"       = "gpu-v100"
    "managed-by"  = "orchestrate"
    "role"        = "gpu-worker"
    "stack"       = "cluster-us-west"
    "team"        = "infrastructure"
  }

  autoscaler_tags = {
    "k8s.io/cluster-autoscaler/cluster-us-west"                           = "owned"
    "k8s.io/cluster-autoscaler/enabled"                                   = "true"
    "k8s.io/cluster-autoscaler/node-template/label/deeplab/card"          = "v100"
    "k8s.io/cluster-autoscaler/node-template/resources/ephemeral-storage" = "500Gi"
    "k8s.io/cluster-autoscaler/node-template/resources/nvidia.com/gpu"    = "8"
    "k8s.io/cluster-autoscaler/node-template/taint/nvidia.com/gpu"        = "present:NoSchedule"
  }
}
