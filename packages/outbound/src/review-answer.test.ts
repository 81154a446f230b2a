import { expect, it } from 'vitest'
import type { OutboundAnswer } from './outbound-request.ts'
import { OutboundError } from './failure.ts'
import { findAnswerError, parseReview } from './review-answer.ts'

function answer(status: number, body: string, contentType = 'application/json'): OutboundAnswer {
  return { failed: false, status, headers: { 'content-type': contentType }, body: Buffer.from(body) }
}

it.each<[OutboundAnswer, string | undefined]>([
  [answer(200, '{}'), undefined],
  [answer(200, ''), '0-length response with status code: 200 and content type: application/json'],
  [answer(500, 'told to fail'), 'an error on the server ("unknown") has prevented the request from succeeding'],
  [answer(500, 'told to fail', 'text/plain'), 'an error on the server ("told to fail") has prevented the request from succeeding'],
  [answer(500, 'told to fail', ''), 'an error on the server ("told to fail") has prevented the request from succeeding'],
  [answer(204, '', ''), '0-length response with status code: 204 and content type: application/json'],
  [answer(404, ''), 'the server could not find the requested resource'],
  [answer(403, '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"not you","code":403}'), 'not you'],
])('%j gives the error %j', (given, expected) => {
  expect(findAnswerError(given)?.message).toBe(expected)
})

it('names the phase in which a request failed', () => {
  const createFailedAnswer = (message: string, partial: boolean): OutboundAnswer => ({
    failed: true,
    error: new OutboundError('reset', message),
    message: `Post "https://a": ${message}`,
    partial,
  })
  const stream = 'stream error: INTERNAL_ERROR; received from peer'
  expect(
    [createFailedAnswer('EOF', false), createFailedAnswer('EOF', true), createFailedAnswer(stream, true)].map(
      (each) => findAnswerError(each)?.message,
    ),
  ).toEqual([
    'Post "https://a": EOF',
    'unexpected error when reading response body. Please retry. Original error: EOF',
    `stream error when reading response body, may be caused by closed connection. Please retry. Original error: ${stream}`,
  ])
})

const expected = {
  group: 'admission.k8s.io',
  version: 'v1',
  kind: 'AdmissionReview',
  versions: ['v1', 'v1beta1'],
  kinds: ['AdmissionReview'],
}

it.each([
  ['{"a":1}', undefined],
  ['{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}', undefined],
  ['null', undefined],
  ['apiVersion: admission.k8s.io/v1', undefined],
  ['{', "couldn't get version/kind; json parse error: unexpected end of JSON input"],
  ['[]', "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct"],
  ['<html>', "couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct"],
  ['{"kind":1}', "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string"],
  ['{"apiVersion":"admission.k8s.io/v1beta1"}', 'converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion'],
  ['{"apiVersion":"v1","kind":"Pod"}', 'no kind "Pod" is registered for version "v1" in scheme'],
])('the response %s has the problem %j', (body, problem) => {
  const parsed = parseReview(Buffer.from(body), expected)
  if (problem === undefined) expect(parsed.problem).toBeUndefined()
  else expect(parsed.problem).toContain(problem)
})
