export { createHttpClient, createIdleHttpClient } from './http/create-http-client.js';
export type { AcceptedReply, BodySink, HttpClient, HttpRequest, ResponseHead } from './http-client.js';
export type { HttpClientOptions } from './options.js';
