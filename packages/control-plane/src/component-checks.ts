import type { ComponentCheck } from '@keelson/resources-core'
import { get } from 'node:https'
import type { GenericConfig } from './build-generic-config.ts'

const patienceMs = 20_000

/** A part that runs beside this server, on its usual port. Nobody checks its certificate: nothing is told to it. */
export function componentOnPort(port: number): ComponentCheck {
  const url = `https://127.0.0.1:${port}/healthz`
  return () =>
    new Promise((resolve) => {
      const failed = (error: Error): void => resolve({ healthy: false, message: `Get "${url}": ${error.message}` })
      const request = get(url, { rejectUnauthorized: false, timeout: patienceMs }, (response) => {
        const { statusCode = 0 } = response
        let message = ''
        response.setEncoding('utf8')
        response.on('data', (text: string) => (message += text))
        response.on('error', failed)
        response.on('end', () => resolve({ healthy: statusCode >= 200 && statusCode < 400, message }))
      })
      request.on('timeout', () => request.destroy(new Error('context deadline exceeded')))
      request.on('error', failed)
    })
}

/** The store, by the name everybody knows it by. */
export function storeComponent({ backends }: GenericConfig): ComponentCheck {
  return async () => {
    await backends.main.checkHealth()
    return { healthy: true, message: 'ok' }
  }
}
