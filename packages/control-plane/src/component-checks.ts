import { formatRemoteError, requestRemote } from '@keelson/http-installer'
import type { Remote } from '@keelson/registry'
import type { ComponentCheck } from '@keelson/resources-core'
import type { GenericConfig } from './build-generic-config.ts'

const timeoutMs = 20_000

/**
 * Returns a health check of a control plane component on this machine. The certificate of the component is not verified, because the
 * request contains no secrets.
 */
export function checkComponentOnPort(port: number): ComponentCheck {
  const host = '127.0.0.1'
  const remote: Remote = { scheme: 'https', host, port: String(port), path: '/healthz', query: '', tls: { verify: false } }
  return () =>
    new Promise((resolve) => {
      const reportFailure = (reason: string): void =>
        resolve({ healthy: false, message: `Get "https://${host}:${port}${remote.path}": ${reason}` })
      const request = requestRemote(remote, { method: 'GET', headers: ['Host', `${host}:${port}`] })
      const timer = setTimeout(() => {
        reportFailure('context deadline exceeded')
        request.destroy()
      }, timeoutMs)
      request.on('response', (response) => {
        const { statusCode = 0 } = response
        let message = ''
        response.setEncoding('utf8')
        response.on('data', (text: string) => (message += text))
        response.on('error', ({ message: reason }) => reportFailure(reason))
        response.on('end', () => resolve({ healthy: statusCode >= 200 && statusCode < 400, message }))
      })
      request.on('error', (error) => reportFailure(formatRemoteError(error)))
      request.on('close', () => clearTimeout(timer))
      request.end()
    })
}

/** Returns a health check of the main store. */
export function checkStore({ backends }: GenericConfig): ComponentCheck {
  return async () => {
    await backends.main.checkHealth()
    return { healthy: true, message: 'ok' }
  }
}
