# Verifies a webhook: its body on standard input; id, timestamp and signature as arguments.
require 'base64'
require 'json'
require 'openssl'

TOLERANCE_SECONDS = 300

def genuine?(body, id, timestamp, signatures, secret)
  return false if (Time.now.to_i - timestamp.to_i).abs > TOLERANCE_SECONDS

  key = Base64.decode64(secret.delete_prefix('whsec_'))
  # Anybody can sign with an empty key.
  return false if key.empty?

  expected = "v1,#{Base64.strict_encode64(OpenSSL::HMAC.digest('SHA256', key, "#{id}.#{timestamp}.#{body}"))}"
  signatures.split(' ').any? { |entry| OpenSSL.secure_compare(entry, expected) }
end

id, timestamp, signatures = ARGV
body = $stdin.read
abort('not from Dhara') unless genuine?(body, id, timestamp, signatures, ENV.fetch('DHARA_WEBHOOK_SECRET'))
puts JSON.parse(body)['type']
