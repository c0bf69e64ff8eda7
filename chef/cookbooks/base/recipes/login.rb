# The image's login is how operators get in when nothing else works: also when the storage that is
# mounted over /home is down.
login = node['orchestrate']['login']

base_local_home login if Orchestrate::Accounts.uids.key?(login)
