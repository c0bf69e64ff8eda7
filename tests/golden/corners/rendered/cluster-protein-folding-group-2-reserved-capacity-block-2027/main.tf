# Says ${then}

data "aws_partition" "current" {}

data "aws_ami" "vendor" {
  for_each = {
    "debian-12" = {
      owner        = "136693071363"
      name         = "debian-12-amd64-*"
      architecture = "x86_64"
    }
    "ubuntu-22.04" = {
      owner        = "099720109477"
      name         = "ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-amd64-server-*"
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
    "debian-12"    = local.vendors["debian-12"]
    "ubuntu-22.04" = local.vendors["ubuntu-22.04"]
  }

  # Named, not read: this stack reads no other.
  boundary = "arn:${data.aws_partition.current.partition}:iam::210987654321:policy/corner-laboratory-node-boundary"
}

resource "aws_key_pair" "this" {
  key_name   = "corner-laboratory-cluster-protein-folding-group-2-reserved-capacity-block-2027"
  public_key = var.ssh_public_key
}

module "network" {
  source = "../../../../../terraform/modules/network"

  region = "eu-central-1"
  range  = "10.2.0.0/20"
  nat    = "none"

  names = {
    vpc                = "corner-laboratory-cluster-protein-folding-group-2-reserved-capacity-block-2027"
    internet_gateway   = "corner-laboratory-cluster-protein-folding-group-2-reserved-capacity-block-2027"
    public_route_table = "corner-laboratory-cluster-protein-folding-group-2-reserved-capacity-block-2027-public"
    s3_endpoint        = "corner-laboratory-cluster-protein-folding-group-2-reserved-capacity-block-2027-s3"
  }

  zones = [
    {
      zone         = "eu-central-1b"
      nat_name     = "corner-laboratory-cluster-protein-folding-group-2-reserved-capacity-block-2027-nat-eu-central-1b"
      table_name   = "corner-laboratory-cluster-protein-folding-group-2-reserved-capacity-block-2027-private-eu-central-1b"
      public_name  = "corner-laboratory-cluster-protein-folding-group-2-reserved-capacity-block-2027-public-eu-central-1b"
      public       = "10.2.4.0/28"
      private_name = "corner-laboratory-cluster-protein-folding-group-2-reserved-capacity-block-2027-private-eu-central-1b"
      private      = "10.2.0.0/23"
    },
    {
      zone         = "eu-central-1a"
      nat_name     = "corner-laboratory-cluster-protein-folding-group-2-reserved-capacity-block-2027-nat-eu-central-1a"
      table_name   = "corner-laboratory-cluster-protein-folding-group-2-reserved-capacity-block-2027-private-eu-central-1a"
      public_name  = "corner-laboratory-cluster-protein-folding-group-2-reserved-capacity-block-2027-public-eu-central-1a"
      public       = "10.2.4.16/28"
      private_name = "corner-laboratory-cluster-protein-folding-group-2-reserved-capacity-block-2027-private-eu-central-1a"
      private      = "10.2.2.0/23"
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
      name           = "corner-laboratory-cluster-protein-folding-group-2-reserved-capacity-block-2027-bastion"
      security_group = "corner-laboratory-cluster-protein-folding-group-2-reserved-capacity-block-2027-bastion"
      role           = "corner-laboratory-cluster-protein-folding-group-2-reser-5vpqyt3j"
      instance_type  = "t3.micro"
      image          = local.images["ubuntu-22.04"]
      subnet_id      = module.network.public_subnet_ids["eu-central-1b"]
      open = {
        protocol = "tcp"
        port     = 22
        from     = ["10.64.0.0/12", "203.0.113.0/24"]
      }
    }
  }
}

module "storage" {
  source = "../../../../../terraform/modules/storage"

  vpc_id              = module.network.vpc_id
  subnet_ids          = module.network.private_subnet_ids
  client_ranges       = ["10.2.0.0/20"]
  security_group_name = "corner-laboratory-cluster-protein-folding-group-2-reserved-capacity-block-2027-efs"

  filesystems = {}

  access_points = {}

  client_roles = [module.node_group_alike.role_arn, module.node_group_gpu.role_arn]

  buckets = {}
}

module "dns" {
  source = "../../../../../terraform/modules/dns"

  zone   = "protein-folding-group-2-reserved-capacity-block-2027.corners.example.org"
  vpc_id = module.network.vpc_id

  public_addresses = {
    "bastion.protein-folding-group-2-reserved-capacity-block-2027.corners.example.org" = module.access.addresses["bastion"]
  }

  private_addresses = {
    "bastion.protein-folding-group-2-reserved-capacity-block-2027.corners.example.org" = module.access.private_addresses["bastion"]
  }

  private_aliases = {}

  private_texts = {}
}

# Two types of host, bought both ways
module "node_group_alike" {
  source = "../../../../../terraform/modules/node_group"

  names = {
    group           = "corner-laboratory-cluster-protein-folding-group-2-reserved-capacity-block-2027-alike"
    launch_template = "corner-laboratory-cluster-protein-folding-group-2-reserved-capacity-block-2027-alike"
    role            = "corner-laboratory-cluster-protein-folding-group-2-reser-emoscfk5"
    security_group  = "corner-laboratory-cluster-protein-folding-group-2-reserved-capacity-block-2027-alike"
    host            = "corner-laboratory-cluster-protein-folding-group-2-reserved-capacity-block-2027-alike"
  }

  vpc_id          = module.network.vpc_id
  subnet_ids      = [for zone in ["eu-central-1b", "eu-central-1a"] : module.network.private_subnet_ids[zone]]
  internal_ranges = ["10.0.0.0/10", "10.64.0.0/12", "10.80.0.0/14", "10.128.0.0/9"]

  image          = local.images["debian-12"]
  key_name       = aws_key_pair.this.key_name
  instance_types = ["c5.9xlarge", "c5d.9xlarge"]
  capacity       = "mixed"
  on_demand_base = 3
  size           = { min = 0, max = 12 }
  disk_gb        = 100

  bucket_names         = []
  permissions_boundary = local.boundary

  tags = {
    "cluster"     = "cluster-protein-folding-group-2-reserved-capacity-block-2027"
    "cost-centre" = "its own"
    "fleet"       = "corner-laboratory"
    "group"       = "alike"
    "managed-by"  = "orchestrate"
    "role"        = "cpu-worker"
    "stack"       = "cluster-protein-folding-group-2-reserved-capacity-block-2027"
  }

  autoscaler_tags = {
    "k8s.io/cluster-autoscaler/cluster-protein-folding-group-2-reserved-capacity-block-2027" = "owned"
    "k8s.io/cluster-autoscaler/enabled"                                                      = "true"
    "k8s.io/cluster-autoscaler/node-template/resources/ephemeral-storage"                    = "100Gi"
  }
}

module "node_group_gpu" {
  source = "../../../../../terraform/modules/node_group"

  names = {
    group           = "corner-laboratory-cluster-protein-folding-group-2-reserved-capacity-block-2027-gpu"
    launch_template = "corner-laboratory-cluster-protein-folding-group-2-reserved-capacity-block-2027-gpu"
    role            = "corner-laboratory-cluster-protein-folding-group-2-reser-jzzngrv2"
    security_group  = "corner-laboratory-cluster-protein-folding-group-2-reserved-capacity-block-2027-gpu"
    host            = "corner-laboratory-cluster-protein-folding-group-2-reserved-capacity-block-2027-gpu"
  }

  vpc_id          = module.network.vpc_id
  subnet_ids      = [for zone in ["eu-central-1a"] : module.network.private_subnet_ids[zone]]
  internal_ranges = ["10.0.0.0/10", "10.64.0.0/12", "10.80.0.0/14", "10.128.0.0/9"]

  image          = local.images["ubuntu-22.04"]
  key_name       = aws_key_pair.this.key_name
  instance_types = ["g5.12xlarge"]
  capacity       = "spot"
  on_demand_base = 0
  size           = { min = 1, max = 12 }
  disk_gb        = 100

  bucket_names         = []
  permissions_boundary = local.boundary

  tags = {
    "cluster"     = "cluster-protein-folding-group-2-reserved-capacity-block-2027"
    "cost-centre" = "its own"
    "fleet"       = "corner-laboratory"
    "group"       = "gpu"
    "managed-by"  = "orchestrate"
    "role"        = "gpu-worker"
    "stack"       = "cluster-protein-folding-group-2-reserved-capacity-block-2027"
  }

  autoscaler_tags = {
    "k8s.io/cluster-autoscaler/cluster-protein-folding-group-2-reserved-capacity-block-2027" = "owned"
    "k8s.io/cluster-autoscaler/enabled"                                                      = "true"
    "k8s.io/cluster-autoscaler/node-template/label/deeplab/card"                             = "a10g"
    "k8s.io/cluster-autoscaler/node-template/label/tier"                                     = "2"
    "k8s.io/cluster-autoscaler/node-template/resources/ephemeral-storage"                    = "100Gi"
    "k8s.io/cluster-autoscaler/node-template/resources/nvidia.com/gpu"                       = "4"
    "k8s.io/cluster-autoscaler/node-template/taint/experimental"                             = ":NoExecute"
    "k8s.io/cluster-autoscaler/node-template/taint/nvidia.com/gpu"                           = "present:NoSchedule"
  }
}
