# The fourth story: a cluster and its nodes, and nothing that lets the nodes in.
# plan.json is what `terraform show -json` prints of its plan.

data "aws_ssm_parameter" "image" {
  name = "/aws/service/eks/optimized-ami/1.32/amazon-linux-2/recommended/image_id"
}

resource "aws_vpc" "this" {
  cidr_block           = "10.60.0.0/16"
  enable_dns_hostnames = true
}

resource "aws_internet_gateway" "this" {
  vpc_id = aws_vpc.this.id
}

resource "aws_subnet" "a" {
  vpc_id                  = aws_vpc.this.id
  availability_zone       = "us-west-2a"
  cidr_block              = "10.60.0.0/20"
  map_public_ip_on_launch = true
}

resource "aws_subnet" "b" {
  vpc_id                  = aws_vpc.this.id
  availability_zone       = "us-west-2b"
  cidr_block              = "10.60.16.0/20"
  map_public_ip_on_launch = true
}

resource "aws_route_table" "this" {
  vpc_id = aws_vpc.this.id
}

resource "aws_route" "out" {
  route_table_id         = aws_route_table.this.id
  destination_cidr_block = "0.0.0.0/0"
  gateway_id             = aws_internet_gateway.this.id
}

resource "aws_route_table_association" "a" {
  route_table_id = aws_route_table.this.id
  subnet_id      = aws_subnet.a.id
}

resource "aws_route_table_association" "b" {
  route_table_id = aws_route_table.this.id
  subnet_id      = aws_subnet.b.id
}

resource "aws_iam_role" "cluster" {
  name = "shop-cluster"
  assume_role_policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Principal = { Service = "eks.amazonaws.com" }, Action = "sts:AssumeRole" }]
  })
}

resource "aws_iam_role_policy_attachment" "cluster" {
  role       = aws_iam_role.cluster.name
  policy_arn = "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"
}

resource "aws_eks_cluster" "this" {
  name     = "shop"
  version  = "1.32"
  role_arn = aws_iam_role.cluster.arn
  vpc_config {
    subnet_ids = [aws_subnet.a.id, aws_subnet.b.id]
  }
}

resource "aws_eks_addon" "vpc_cni" {
  cluster_name = aws_eks_cluster.this.name
  addon_name   = "vpc-cni"
}

resource "aws_iam_role" "nodes" {
  name = "shop-nodes"
  assume_role_policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Principal = { Service = "ec2.amazonaws.com" }, Action = "sts:AssumeRole" }]
  })
}

resource "aws_iam_role_policy_attachment" "worker" {
  role       = aws_iam_role.nodes.name
  policy_arn = "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy"
}

resource "aws_iam_role_policy_attachment" "cni" {
  role       = aws_iam_role.nodes.name
  policy_arn = "arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy"
}

resource "aws_iam_role_policy_attachment" "images" {
  role       = aws_iam_role.nodes.name
  policy_arn = "arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryReadOnly"
}

resource "aws_iam_instance_profile" "nodes" {
  name = "shop-nodes"
  role = aws_iam_role.nodes.name
}

resource "aws_launch_template" "nodes" {
  name                   = "shop-nodes"
  image_id               = data.aws_ssm_parameter.image.value
  instance_type          = "m5.large"
  vpc_security_group_ids = [aws_eks_cluster.this.vpc_config[0].cluster_security_group_id]
  iam_instance_profile {
    name = aws_iam_instance_profile.nodes.name
  }
  metadata_options {
    http_tokens                 = "required"
    http_put_response_hop_limit = 2
  }
  user_data = base64encode(<<-SCRIPT
    #!/bin/bash
    /etc/eks/bootstrap.sh shop --use-max-pods false --kubelet-extra-args '--max-pods=110'
  SCRIPT
  )
}

resource "aws_autoscaling_group" "nodes" {
  name                = "shop-nodes"
  desired_capacity    = 1
  min_size            = 1
  max_size            = 3
  vpc_zone_identifier = [aws_subnet.a.id, aws_subnet.b.id]
  launch_template {
    id      = aws_launch_template.nodes.id
    version = "$Latest"
  }
  tag {
    key                 = "kubernetes.io/cluster/shop"
    value               = "owned"
    propagate_at_launch = true
  }
}
