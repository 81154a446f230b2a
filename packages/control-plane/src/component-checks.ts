import { remoteErrorText, requestRemote } from '@keelson/http-installer'
import type { Remote } from '@keelson/registry'
import type { ComponentCheck } from '@keelson/resources-core'
import type { GenericConfig } from './build-generic-config.ts'

const patienceMs = 20_000

/** A part that runs beside this server, on its usual port. Nobody checks its certificate: nothing is told to it. */
export function componentOnPort(port: number): ComponentCheck {
  const host = '127.0.0.1'
  const remote: Remote = { scheme: 'https', host, port: String(port), path: '/healthz', query: '', tls: { verify: false } }
  return () =>
    new Promise((resolve) => {
      const failed = (why: string): void => resolve({ healthy: false, message: `Get "https://${host}:${port}${remote.path}": ${why}` })
      const request = requestRemote(remote, { method: 'GET', headers: ['Host', `${host}:${port}`] })
      const timer = setTimeout(() => {
        failed('context deadline exceeded')
        request.destroy()
      }, patienceMs)
      request.on('response', (response) => {
        const { statusCode = 0 } = response
        let message = ''
        response.setEncoding('utf8')
        response.on('data', (text: string) => (message += text))
        response.on('error', ({ message: why }) => failed(why))
        response.on('end', () => resolve({ healthy: statusCode >= 200 && statusCode < 400, message }))
      })
      request.on('error', (error) => failed(remoteErrorText(remote, error)))
      request.on('close', () => clearTimeout(timer))
      request.end()
    })
}

/** The store, by the name everybody knows it by. */
export function storeComponent({ backends }: GenericConfig): ComponentCheck {
  return async () => {
    await backends.main.checkHealth()
    return { healthy: true, message: 'ok' }
  }
}
