name 'trial'
version '1.0.0'
supports 'debian'
