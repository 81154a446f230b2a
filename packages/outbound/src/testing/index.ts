export { startHttpProxy } from './http-proxy.ts'
export { startKonnectivityServer } from './konnectivity-server.ts'
export type { KonnectivityServer, KonnectivityServerOptions } from './konnectivity-server.ts'
export type { HttpProxy, HttpProxyOptions, Route } from './http-proxy.ts'
