import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'

interface Configuration {
  readonly plural: string
  readonly object: unknown
}

/** Admission webhooks for secrets that allow everything. */
export interface AdmissionHook extends AsyncDisposable {
  /** The trace contexts of all calls. */
  readonly calls: (string | undefined)[]
  /** The objects that register the webhooks. */
  configurations(): readonly Configuration[]
}

export async function startAdmissionHook(openssl: string): Promise<AdmissionHook> {
  const pair = createKeyPair(openssl)
  const calls: (string | undefined)[] = []
  const server = https.createServer(pair, (request, response) => {
    calls.push(request.headers['traceparent'] as string | undefined)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const {
        apiVersion,
        kind,
        request: review,
      } = JSON.parse(Buffer.concat(chunks).toString()) as {
        readonly apiVersion: string
        readonly kind: string
        readonly request: { readonly uid: string }
      }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ apiVersion, kind, response: { uid: review.uid, allowed: true } }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const webhook = {
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    failurePolicy: 'Fail',
    rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'], operations: ['CREATE'] }],
    clientConfig: { url: `https://127.0.0.1:${port}/admit`, caBundle: Buffer.from(pair.cert).toString('base64') },
  }
  const apiVersion = 'admissionregistration.k8s.io/v1'
  return {
    calls,
    configurations: () =>
      ['Mutating', 'Validating'].map((type) => ({
        plural: `${type.toLowerCase()}webhookconfigurations`,
        object: {
          apiVersion,
          kind: `${type}WebhookConfiguration`,
          metadata: { name: 'traced' },
          webhooks: [{ ...webhook, name: `${type.toLowerCase()}.example.com` }],
        },
      })),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function createKeyPair(openssl: string): { readonly cert: string; readonly key: string } {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'keelson-hook-'))
  try {
    const flags = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=hook', '-addext', 'subjectAltName=IP:127.0.0.1']
    execFileSync(openssl, ['req', ...flags, '-keyout', 'key.pem', '-out', 'cert.pem'], { cwd: directory, stdio: 'ignore' })
    const read = (name: string): string => readFileSync(path.join(directory, name), 'utf8')
    return { cert: read('cert.pem'), key: read('key.pem') }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
