"""The parts of the picture maker: noise, light, scenes and file formats."""
