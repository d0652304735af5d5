import { describe, test } from 'node:test';
import { assertCut } from './testing.ts';

/** What stands in a command is told by its place alone: the secrets here are words of prose. */
const LINES: Readonly<Record<string, readonly string[]>> = {
  'the password of a client that logs in to a registry': [
    'docker login -u deploy -p «walrus» r.example.net',
    'podman login -p=«walrus» r.example.net',
    'helm registry login -u deploy -p«walrus» r.example.net',
    'crane auth login r.example.net -p «"two walruses"»',
    "oc login -u deploy -p «'two walruses'» r.example.net",
    'docker login -p «walrus» a; docker login -p «otter» b',
    'docker run -p 8080:80 image',
    'docker login -u deploy | sort -p walrus',
    'docker login -u deploy & sort -p walrus',
  ],
  'the password of a client of a database or an archive': [
    'mysql -h db -p«walrus» ledger',
    'mysqldump -p «walrus» ledger',
    'sshpass -p «walrus» ssh host',
    '7z x -p«walrus» a.7z',
    'mkdir -p /var/lib/walrus',
  ],
  'the password of a new user': [
    'useradd -m -p «walrus» deploy',
    'usermod --password=«walrus» deploy',
    'adduser --password «walrus» deploy',
    'useradd -m deploy',
  ],
  'the password for a directory': [
    'ldapsearch -x -D cn=a -w «walrus» -b dc=b',
    'ldapadd -w«walrus» -f a',
  ],
  'the code with which a machine is activated': [
    'amazon-ssm-agent -register -code «walrus» -id 1',
    'ssm-setup-cli -register -activation-code=«walrus»',
    'ssm-setup-cli --activation-code «walrus» -region a',
  ],
  'the community of SNMP': [
    'snmpwalk -v 2c -c «walrus» host',
    'snmpget -A«walrus» host',
    'snmpget -X «walrus» host',
  ],
  'the password of a user of Windows': [
    'net user Administrator «walrus» /add',
    'net  user deploy «walrus»',
  ],
  'the password of Redis': [
    'redis-cli -h a -a «walrus» ping',
    'redis-benchmark -a«walrus» -q',
    'redis-cli -h a ping',
  ],
  'the password of a user of RabbitMQ': [
    'rabbitmqctl add_user deploy «walrus»',
    'rabbitmqctl change_password deploy «walrus» now',
    'rabbitmqctl list_users deploy walrus',
  ],
  'the password of a file of users': [
    'htpasswd -b /etc/users deploy «walrus»',
    'htpasswd -cbB /etc/users deploy «walrus»',
    'htpasswd -c /etc/users deploy walrus',
  ],
  'the token of Vault': [
    'vault login «walrus»',
    'vault  login -method=github a',
    'vault login «walrus» && vault login «otter»',
  ],
  'the literal of a Secret': [
    'kubectl create secret generic db --from-literal=user=«walrus» --from-literal url=«otter»',
    'kubectl create secret generic db --from-literal=\'url=«two»\' --from-literal="b=«walrus»"',
  ],
  'a key of AWS that is set by a command': [
    'aws configure set aws_secret_access_key «walrus» --profile a',
    'aws configure set aws_session_token  «walrus» and aws_session_token «otter»',
    'AWS_SECRET_ACCESS_KEY «walrus»',
    'AWS_SESSION_TOKEN «walrus»',
  ],
  'a password of OpenSSL': [
    'openssl rsa -passin pass:«walrus» -in key.pem',
    'openssl rsa -passin file:abc -in key.pem',
  ],
  'a string that PowerShell makes secure': [
    'ConvertTo-SecureString "«walrus»" -AsPlainText',
    "ConvertTo-SecureString  -String  '«two walruses»' -Force",
    'converttosecurestring "walrus"',
  ],
  'the key of a tunnel': [
    ': PSK "«walrus»"',
    "deploy : EAP  '«two walruses»'",
    'deploy : XAUTH "«walrus»"',
  ],
  'the password of a user of SNMP': [
    'createUser deploy SHA "«walrus walrus»" AES',
    'createUser  deploy  SHA-256  «walrus»',
    "createUser deploy MD5 '«walrus»'",
    'createUser deploy',
  ],
  'what a script types at a prompt': [
    'send "«walrus»\\r"',
    'send_user  --  "«two walruses»\\r"',
    'send -- "«walrus»\\r"',
    'send "walrus"',
  ],
  'a password below its announcement': [
    'use the following password for now: «walrus»',
    'use the following password:«walrus»',
    'use the following passage: walrus',
  ],
  'a code that is used once': [
    'your verification code is «1234»',
    'Login code: «1234567890» ends',
    'one-time passcode is«12345» ends',
    'your verification code is 123',
    'the exit code is 1234',
    'Verification Code: «123456»',
  ],
  'the password of a source of gems': [
    'BUNDLE_GEMS__EXAMPLE__NET=«deploy:walrus» next',
    'BUNDLE_PATH=vendor',
  ],
  'the passwords that are given to chpasswd': [
    'chpasswd:\n  - deploy:«walrus»\n  - other:walrus',
    'chpasswd:\n  list: |\n    deploy:«walrus»',
    'chpasswd: { expire: false }\n users:\n    deploy:«walrus»  ',
    'chpasswd:\n  expire: no',
    'echo deploy:«walrus» chpasswd',
    'echo "deploy:«walrus»" + chpasswd',
    "echo  'deploy:«walrus»'  +  chpasswd",
  ],
  'the pairs of a cookie': [
    'Cookie: «a=walrus; b=otter»',
    'set-cookie:«a=walrus»',
    '{"Cookie":"«a=walrus»"}',
    "curl -H 'Cookie: «a=walrus; b=otter»' https://a",
    'Cookies: none',
  ],
  'what is piped into a program that reads a password': [
    'echo walrus | sort',
    'echo «walrus» | docker login --password-stdin',
    'echo «two walruses» | sudo -S true',
    'printf «%s walrus» | passwd --stdin deploy',
    'echo «deploy:walrus» | chpasswd',
  ],
  'what a program reads from its line': [
    'gpg --decrypt <<< «walrus»',
    "kinit deploy <<<«'two walruses'»",
    'cat <<< walrus',
  ],
  'the password behind the name of a user': [
    'curl -u deploy:«walrus» https://a',
    "curl --user='deploy:«walrus»' https://a",
    'curl  -U  deploy:«walrus» https://a',
    'curl --proxy-user deploy:«walrus» https://a',
    'skopeo copy --dest-creds «deploy:walrus» a b',
    'smbclient -U deploy%«walrus» //host/share',
    'docker run -u 1000:1000 image',
    'docker run -u 1000:1000',
    'chown -R deploy:walrus /a',
  ],
  'the password of a user of a database': [
    "ALTER USER deploy PASSWORD '«walrus»'",
    "create user deploy identified  by  '«two walruses»'",
    'CREATE USER deploy IDENTIFIED BY "«walrus»"',
  ],
  'the password in a line of settings': [
    'requirepass «walrus»',
    'REQUIREPASS «walrus»',
    '--requirepass "«walrus»"',
    "masterauth '«walrus»'",
    'bindpw  «walrus»',
    'rootpw «walrus»',
    'rootpw abc',
  ],
  'the password in .netrc': [
    'machine a login deploy password «walrus»',
    'machine a login  deploy  password  «walrus»',
  ],
  'the password in .pgpass': [
    'db.example.net:5432:ledger:deploy:«walrus»',
    '*:*:*:*:«walrus»',
    '  db:54321:ledger:deploy:«walrus»',
    'db:543:ledger:deploy:walrus',
    'db:5432:ledger:deploy:abc',
  ],
  'who and by what in an address': [
    'https://«deploy:walrus»@host/path',
    'https://«:walrus»@host/path',
    'https://«0123456789abcdef»@host/path',
    'https://deploy@host/path',
    'https://host:443/path@walrus',
    'ssh://git@host:22/path',
    'HTTP_PROXY=«deploy:walrus»@host:80',
    'proxy: "«deploy:walrus»@host:80"',
    'logs/http:::«deploy:walrus»@host:8080:1.log',
    'a%3A%2F%2F«deploy%3Awalrus»%40host',
    'a%3A%2F%2Fhost%3A443',
  ],
  'the signature of an address': [
    'https://a/?X-Amz-Credential=«walrus»&X-Amz-Date=1&X-Amz-Signature=«otter»',
    'https://a/?x-amz-security-token=«walrus» next',
    'https://a/b?sv=1&sig=«walrus»&se=2',
    'https://a/b?Signature=«walrus»"',
    'https://a/b?size=1',
  ],
  'what a header carries': [
    'Bearer «walrus.walrus»',
    'bearer  «walrus-walrus»',
    'Basic «walruswalrus»',
    'Basic auth',
    'Bearer none',
    'BEARER «walruswalrus»',
  ],
  'the words of a wallet': [
    'mnemonic: «walrus otter beaver seal»',
    'seed phrase = "«walrus otter beaver  seal»"',
    'recovery_phrase: «walrus otter beaver seal»',
    'mnemonic: none',
  ],
};

describe('recognizes a secret by its place in a command', () => {
  for (const [what, lines] of Object.entries(LINES))
    describe(what, () => {
      for (const line of lines) test(line, () => assertCut(line));
    });
});
