resource "aws_security_group" "this" {
  name        = var.names.security_group
  description = "Hosts of ${var.names.group}"
  vpc_id      = var.vpc_id

  tags = { Name = var.names.security_group }
}

# All-reduce, notebooks and the pod network pick their ports as they run; the border is the fleet's.
resource "aws_vpc_security_group_ingress_rule" "internal" {
  for_each = toset(var.internal_ranges)

  security_group_id = aws_security_group.this.id
  description       = "Anything from inside the fleet"
  cidr_ipv4         = each.key
  ip_protocol       = "-1"
}

resource "aws_vpc_security_group_egress_rule" "all" {
  security_group_id = aws_security_group.this.id
  description       = "Packages, images and data sets come from anywhere"
  cidr_ipv4         = "0.0.0.0/0"
  ip_protocol       = "-1"
}

resource "aws_launch_template" "this" {
  name                   = var.names.launch_template
  update_default_version = true

  image_id               = var.image.id
  instance_type          = var.instance_types[0]
  key_name               = var.key_name
  vpc_security_group_ids = [aws_security_group.this.id]

  iam_instance_profile {
    arn = aws_iam_instance_profile.this.arn
  }

  # One hop: the answer reaches the host and dies on the way into a container, so that a job can't
  # take the host's role. Pods on the host's network still can; those are ours.
  metadata_options {
    http_endpoint               = "enabled"
    http_tokens                 = "required"
    http_put_response_hop_limit = 1
  }

  block_device_mappings {
    device_name = var.image.root_device

    ebs {
      volume_type           = "gp3"
      volume_size           = var.disk_gb
      encrypted             = true
      delete_on_termination = true
    }
  }

  dynamic "tag_specifications" {
    for_each = ["volume", "network-interface"]

    content {
      resource_type = tag_specifications.value
      tags          = merge(var.tags, { Name = var.names.host })
    }
  }
}

resource "aws_autoscaling_group" "this" {
  name                = var.names.group
  vpc_zone_identifier = var.subnet_ids
  min_size            = var.size.min
  max_size            = var.size.max

  # Moving a host for the balance of zones would kill the job on it.
  suspended_processes = ["AZRebalance"]

  # AWS may have none to sell for hours; the apply doesn't wait for the market.
  wait_for_capacity_timeout = "0"

  mixed_instances_policy {
    instances_distribution {
      on_demand_allocation_strategy            = "prioritized"
      on_demand_base_capacity                  = var.on_demand_base
      on_demand_percentage_above_base_capacity = { on-demand = 100, mixed = 50, spot = 0 }[var.capacity]
      spot_allocation_strategy                 = "price-capacity-optimized"
    }

    launch_template {
      launch_template_specification {
        launch_template_id = aws_launch_template.this.id
        version            = aws_launch_template.this.latest_version
      }

      dynamic "override" {
        for_each = var.instance_types

        content {
          instance_type = override.value
        }
      }
    }
  }

  dynamic "tag" {
    for_each = merge(var.tags, { Name = var.names.host })

    content {
      key                 = tag.key
      value               = tag.value
      propagate_at_launch = true
    }
  }

  dynamic "tag" {
    for_each = var.autoscaler_tags

    content {
      key                 = tag.key
      value               = tag.value
      propagate_at_launch = false
    }
  }

  lifecycle {
    ignore_changes = [desired_capacity]
  }
}
