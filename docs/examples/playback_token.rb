# Lists ready videos and creates a playback token for the newest. Needs Ruby 3.
require 'json'
require 'net/http'

def call(path, request_class = Net::HTTP::Get)
  uri = URI(ENV.fetch('DHARA_URL') + path)
  request = request_class.new(uri, 'x-service-key' => ENV.fetch('DHARA_KEY'))
  response = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == 'https', read_timeout: 10) do |http|
    http.request(request)
  end
  body = JSON.parse(response.body)
  abort("#{body['error']['code']}: #{body['error']['message']}") unless body['success']
  [body['data'], response]
end

videos, = call('/v1/video?status=ready&limit=1')
abort('No video is ready') if videos.empty?
token, response = call("/v1/video/#{videos[0]['id']}/playback-token", Net::HTTP::Post)

puts "video #{videos[0]['id']}"
puts "token #{token['token']}"
puts "left #{response['x-ratelimit-remaining']}"
