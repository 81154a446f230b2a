import { createManualClock, settle } from '@keelson/apimachinery/testing'
import { describe, expect, it, vi } from 'vitest'
import type { ClientTarget } from './dialer.ts'
import type { OutboundAnswer, OutboundRequest } from './outbound-request.ts'
import { openKubeconfigWebhook, postToWebhook, retryWebhook } from './kubeconfig-webhook.ts'

function createAnswer(status: number): OutboundAnswer {
  return { failed: false, status, headers: {}, body: Buffer.alloc(0) }
}

function open(status = 200, url = 'https://hook/events') {
  const targets: ClientTarget[] = []
  const requests: OutboundRequest[] = []
  const request = async (sent: OutboundRequest): Promise<OutboundAnswer> => {
    requests.push(sent)
    return createAnswer(status)
  }
  const close = vi.fn()
  const dialer = {
    client(target: ClientTarget) {
      targets.push(target)
      return { request, [Symbol.dispose]: close }
    },
  }
  const readCertificate = async (): Promise<undefined> => undefined
  const rejectCredentials = vi.fn()
  const readHeaders = async (): Promise<Record<string, string>> => ({ authorization: 'Bearer x' })
  const webhook = openKubeconfigWebhook(
    { url, tls: {}, headers: readHeaders, readCertificate, rejectCredentials },
    { dialer, timeoutMs: 1500 },
  )
  return { webhook, targets, requests, close, readCertificate, rejectCredentials }
}

describe('a webhook of a kubeconfig', () => {
  it.each([
    ['https://hook/events', 'https://hook/events?timeout=1.5s'],
    ['https://hook/events?a=b', 'https://hook/events?a=b&timeout=1.5s'],
  ])('is called at %s with its timeout, and follows its client certificate', (url, expected) => {
    const { targets, readCertificate, webhook, close } = open(200, url)
    expect(targets).toEqual([{ url: expected, tls: {}, network: 'controlplane', readCertificate }])
    webhook[Symbol.dispose]()
    expect(close).toHaveBeenCalledOnce()
  })

  it('receives JSON and the credentials', async () => {
    const { webhook, requests, rejectCredentials } = open()
    expect(await postToWebhook(webhook, { body: '{}' })).toMatchObject({ status: 200 })
    const headers = { accept: 'application/json, */*', 'content-type': 'application/json', authorization: 'Bearer x' }
    expect(requests).toEqual([{ method: 'POST', headers, body: '{}', timeoutMs: 1500, idempotent: true }])
    expect(rejectCredentials).not.toHaveBeenCalled()
  })

  it('rejects the credentials by status 401', async () => {
    const { webhook, rejectCredentials } = open(401)
    await postToWebhook(webhook, { body: '{}' })
    expect(rejectCredentials).toHaveBeenCalledOnce()
  })
})

describe('retries', () => {
  const shouldRetry = (result: string): boolean => result === 'no'
  const start = (results: string[], signal?: AbortSignal) => {
    const clock = createManualClock()
    const attempt = vi.fn(async () => results.shift() ?? 'no')
    const last = retryWebhook({ clock, retryBackoffMs: 100 }, attempt, { shouldRetry, signal })
    return { clock, attempt, last }
  }

  it('end with the first result that needs none', async () => {
    const { clock, attempt, last } = start(['no', 'yes', 'no'])
    await settle()
    clock.advance(120)
    expect(await last).toBe('yes')
    expect(attempt).toHaveBeenCalledTimes(2)
  })

  it('end after five attempts, with pauses that grow by half', async () => {
    const { clock, attempt, last } = start([])
    for (const [i, pause] of [100, 150, 225, 337].entries()) {
      await settle()
      clock.advance(pause - 1)
      await settle()
      expect(attempt).toHaveBeenCalledTimes(i + 1)
      clock.advance(1 + pause * 0.2 + 1)
    }
    expect(await last).toBe('no')
    expect(attempt).toHaveBeenCalledTimes(5)
  })

  it('end when the signal aborts', async () => {
    const controller = new AbortController()
    const { attempt, last } = start([], controller.signal)
    await settle()
    controller.abort()
    expect(await last).toBe('no')
    expect(attempt).toHaveBeenCalledOnce()
  })
})
