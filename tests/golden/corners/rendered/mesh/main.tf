# What joins the clusters. Names and ranges come from the fleet and its ledger, ids from the clusters'
# states.

locals {
  clusters = {
    "cluster-plain" = {
      region    = "eu-central-1"
      range     = "10.1.0.0/16"
      zone      = "plain.corners.example.org"
      state_key = "cluster-plain.tfstate"
    }
    "cluster-protein-folding-group-2-reserved-capacity-block-2027" = {
      region    = "eu-central-1"
      range     = "10.2.0.0/20"
      zone      = "protein-folding-group-2-reserved-capacity-block-2027.corners.example.org"
      state_key = "cluster-protein-folding-group-2-reserved-capacity-block-2027.tfstate"
    }
  }

  clusters_of = {
    for region in distinct([for cluster in local.clusters : cluster.region]) :
    region => [for name, cluster in local.clusters : name if cluster.region == region]
  }

  outputs = { for name, state in data.terraform_remote_state.cluster : name => state.outputs }

  networks = {
    for name, cluster in local.clusters : name => {
      vpc_id          = local.outputs[name].vpc_id
      region          = cluster.region
      range           = cluster.range
      route_table_ids = local.outputs[name].route_table_ids
    }
  }

  # Each cluster's hosts find the names of all others.
  foreign_zones = {
    for pair in setproduct(keys(local.clusters), keys(local.clusters)) :
    "${pair[0]} in ${pair[1]}" => { zone_of = pair[0], vpc_of = pair[1] } if pair[0] != pair[1]
  }
}

data "terraform_remote_state" "global" {
  backend = "s3"

  config = {
    bucket      = "corner-laboratory-terraform-state-210987654321"
    key         = "global.tfstate"
    region      = "eu-central-1"
    max_retries = 15
  }
}

data "terraform_remote_state" "cluster" {
  for_each = local.clusters

  backend = "s3"

  config = {
    bucket      = "corner-laboratory-terraform-state-210987654321"
    key         = each.value.state_key
    region      = "eu-central-1"
    max_retries = 15
  }
}

resource "aws_route53_record" "delegation" {
  for_each = local.clusters

  zone_id = data.terraform_remote_state.global.outputs.zone_id
  name    = each.value.zone
  type    = "NS"
  ttl     = 3600
  records = local.outputs[each.key].name_servers
}

resource "aws_route53_zone_association" "foreign" {
  for_each = local.foreign_zones

  zone_id    = local.outputs[each.value.zone_of].private_zone_id
  vpc_id     = local.outputs[each.value.vpc_of].vpc_id
  vpc_region = local.clusters[each.value.vpc_of].region
}

module "peering_eu-central-1_eu-central-1" {
  source = "../../../../../terraform/modules/peering"

  for_each = {
    for pair in setproduct(local.clusters_of["eu-central-1"], local.clusters_of["eu-central-1"]) :
    join(" ", pair) => pair
    if index(local.clusters_of["eu-central-1"], pair[0]) < index(local.clusters_of["eu-central-1"], pair[1])
  }

  name      = join("-", ["corner-laboratory", join("-to-", sort(each.value))])
  requester = local.networks[each.value[0]]
  accepter  = local.networks[each.value[1]]

  providers = {
    aws.requester = aws.eu-central-1
    aws.accepter  = aws.eu-central-1
  }
}
