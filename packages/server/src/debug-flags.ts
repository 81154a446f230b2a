import { getErrorMessage } from '@keelson/apimachinery'
import type { Exchange } from '@keelson/exchange'
import { readBody, withExchange } from '@keelson/http-installer'
import type { InstallerEnv } from '@keelson/http-installer'
import type { Hono } from 'hono'
import { sendPlain } from './plain-answer.ts'

/** Maximum size of a flag's value in bytes. */
const maxValueBytes = 1024

/**
 * Serves flags that can be changed while the server runs: `PUT /debug/flags/NAME` with the new value as the body, as in kube-apiserver.
 * `setters` throw errors whose messages are shown to clients.
 */
export function installDebugFlags(app: Hono<InstallerEnv>, setters: Readonly<Record<string, (text: string) => void>>): void {
  const rows = Object.keys(setters).map((name) => `<tr>${name}<br>\n`)
  const index = `<html>
<head>
<title>/debug/flags/</title>
</head>
<body>
/debug/flags/<br>
<br>
flags:<br>
<table>
${rows.join('')}</table>
<br>
full flags configurable<br>
</body>
</html>
`
  const sendIndex = withExchange((exchange) => sendPlain(exchange, { status: 200, type: 'text/html; charset=utf-8', body: index }))
  for (const [name, set] of Object.entries(setters)) {
    app.all(
      `/debug/flags/${name}`,
      withExchange((exchange) => setFlag(exchange, set)),
    )
  }
  app.all('/debug/flags', sendIndex)
  app.all('/debug/flags/*', sendIndex)
}

async function setFlag(exchange: Exchange, set: (text: string) => void): Promise<void> {
  const send = (status: number, body: string): void => sendPlain(exchange, { status, type: 'text/plain', body })
  if (exchange.method !== 'PUT') return send(406, 'unsupported http method')
  const value = Buffer.from(await readBody(exchange, maxValueBytes)).toString()
  try {
    set(value)
  } catch (error) {
    return send(400, getErrorMessage(error))
  }
  send(200, `successfully set klog.logging.verbosity to ${value}`)
}
