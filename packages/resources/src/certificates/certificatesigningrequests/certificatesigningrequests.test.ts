import type { CertificateSigningRequest } from '@keelson/api/certificates/v1'
import type { RequestContext } from '@keelson/apimachinery'
import { formatFieldError } from '@keelson/apimachinery'
import { createTableConvertor } from '@keelson/registry'
import { testContext } from '@keelson/registry/testing'
import { describe, expect, it } from 'vitest'
import { certificateSigningRequests } from './index.ts'
import { readCertificateRequestSubject, findCertificateRequestError } from './request-pem.ts'
import { requests } from './requests.fixture.ts'

const context = {} as RequestContext
const { strategy, subresources } = certificateSigningRequests
const request = (status: CertificateSigningRequest['status'] = {}): CertificateSigningRequest => ({
  metadata: { name: 'a' },
  spec: { request: requests.ec, signerName: 'example.com/a', usages: ['client auth'], expirationSeconds: 3600 },
  status,
})
const approved = { type: 'Approved', status: 'True' }
const decode = (base64: string): string => Buffer.from(base64, 'base64').toString()

describe('certificate signing requests', () => {
  it.each(Object.entries(requests))('accepts a request signed with its own key: %s', (_kind, pem) => {
    expect(findCertificateRequestError(pem)).toBeUndefined()
    const lines = decode(pem).split('\n')
    const body = Buffer.from(lines.slice(1, lines.indexOf('-----END CERTIFICATE REQUEST-----')).join(''), 'base64')
    body[body.length - 1]! ^= 1
    const forged = `-----BEGIN CERTIFICATE REQUEST-----\n${body.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`
    expect(findCertificateRequestError(Buffer.from(forged).toString('base64'))).toMatch(/verification/)
  })

  it.each([
    ['', 'PEM block type must be CERTIFICATE REQUEST'],
    ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', 'PEM block type must be CERTIFICATE REQUEST'],
    ['-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n-----END CERTIFICATE REQUEST-----\n', 'asn1: syntax error: data truncated'],
  ])('rejects the request %j', (text, message) => {
    expect(findCertificateRequestError(Buffer.from(text).toString('base64'))).toBe(message)
  })

  it('returns the names in the subject', () => {
    for (const pem of Object.values(requests)) {
      expect(readCertificateRequestSubject(pem)).toEqual({ commonName: 'system:node:a', organizations: ['system:nodes'] })
    }
    const truncated = '-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n-----END CERTIFICATE REQUEST-----\n'
    expect(readCertificateRequestSubject(Buffer.from(truncated).toString('base64'))).toEqual({
      error: 'asn1: syntax error: data truncated',
    })
  })

  it('records the requesting user', () => {
    const created = request()
    created.spec.username = 'somebody'
    strategy.prepareForCreate?.({ ...testContext(''), user: { name: 'alice', uid: '1', groups: ['dev'], extra: { a: ['b'] } } }, created)
    expect(created.spec).toMatchObject({ username: 'alice', uid: '1', groups: ['dev'], extra: { a: ['b'] } })
  })

  it('approves and issues requests through separate subresources', () => {
    const { approval, status } = subresources ?? {}
    const validateToMessages = (path: typeof approval, to: CertificateSigningRequest['status']): string[] =>
      (path?.update.validateUpdate?.(context, request(to), request()) ?? []).map(formatFieldError)
    expect(validateToMessages(approval, { conditions: [approved] })).toEqual([])
    expect(validateToMessages(status, { conditions: [approved] })).toEqual([
      'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
    ])
    expect(validateToMessages(approval, { certificate: 'eA==' })).toEqual([
      'status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block',
      'status.certificate: Forbidden: updates may not set certificate content',
    ])
    expect(validateToMessages(approval, { conditions: [approved, { type: 'Denied', status: 'False' }] })).toEqual([
      'status.conditions[1].status: Unsupported value: "False": supported values: "True"',
      'status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
    ])
  })

  it('keeps approval conditions, and sets their times', () => {
    const stored = request({ conditions: [{ ...approved, reason: 'Because', lastUpdateTime: '2026-01-01T00:00:00Z' }] })
    const written = request({
      conditions: [
        { ...approved, reason: 'Else' },
        { type: 'Failed', status: 'True' },
      ],
    })
    subresources?.['status']?.update.prepareForUpdate?.(context, written, stored)
    expect(written.status?.conditions).toEqual([
      { ...approved, reason: 'Because', lastUpdateTime: '2026-01-01T00:00:00Z', lastTransitionTime: expect.any(String) },
      { type: 'Failed', status: 'True', lastUpdateTime: expect.any(String), lastTransitionTime: expect.any(String) },
    ])
  })

  it('prints approval and issuance as a column', () => {
    const { createCells } = createTableConvertor(certificateSigningRequests)
    expect(createCells(request({ conditions: [approved], certificate: 'eA==' }), 0)).toEqual([
      'a',
      '<unknown>',
      'example.com/a',
      '',
      '60m',
      'Approved,Issued',
    ])
  })
})
