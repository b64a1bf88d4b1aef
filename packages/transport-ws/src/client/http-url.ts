/** The URL of the upgrade request, which is plain HTTP: what signs it and who refuses it speak of http(s). */
export function httpUrlOf(url: URL): URL {
  const http = new URL(url);
  http.protocol = url.protocol === 'wss:' ? 'https:' : 'http:';
  return http;
}
