import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeContinue, encodeContinue } from './continue-token.ts'
import { isStorageError } from './errors.ts'

const prefix = '/registry/configmaps/ns/'

describe('a continue token', () => {
  it('a continue token has the same bytes as in kube-apiserver', () => {
    // A token of kube-apiserver 1.36, for a prefix without its final slash.
    expect(encodeContinue('/registry/configmaps/ns/c1\0', '/registry/configmaps/ns', 223)).toBe(
      'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MjIzLCJzdGFydCI6Ii9jMVx1MDAwMCJ9',
    )
    expect(Buffer.from(encodeContinue(`${prefix}a<&>\0`, prefix, -1), 'base64url').toString()).toBe(
      String.raw`{"v":"meta.k8s.io/v1","rv":-1,"start":"a\u003c\u0026\u003e\u0000"}`,
    )
  })

  it('a continue token may contain a key with a leading slash', () => {
    const encodeToken = (start: string): string => Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: 5, start })).toString('base64url')
    expect(decodeContinue(encodeToken('/c1\0'), prefix)).toEqual({ start: `${prefix}c1\0`, revision: 5 })
    expect(decodeContinue(encodeToken('c1\0'), prefix)).toEqual({ start: `${prefix}c1\0`, revision: 5 })
  })

  it('a continue token decodes to the position that it was created from', () => {
    const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }).filter((s) => s.isWellFormed() && !/^\.{1,2}$|\//.test(s))
    fc.assert(
      fc.property(name, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (start, revision) => {
        expect(decodeContinue(encodeContinue(prefix + start, prefix, revision), prefix)).toEqual({ start: prefix + start, revision })
      }),
    )
  })

  it('refuses a continue token with a key outside of the prefix, always with the same error code', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc
            .record({ v: fc.constant('meta.k8s.io/v1'), rv: fc.integer(), start: fc.stringMatching(/^[./ab]{0,8}$/) })
            .map((t) => Buffer.from(JSON.stringify(t)).toString('base64url')),
        ),
        (token) => {
          try {
            const { start } = decodeContinue(token, prefix)
            expect(start.startsWith(prefix)).toBe(true)
            expect(start.split('/')).not.toContain('..')
          } catch (error) {
            expect(isStorageError(error, 'InvalidContinueToken')).toBe(true)
          }
        },
      ),
    )
  })

  it('refuses an invalid continue token with the error text of kube-apiserver', () => {
    const catchMessage = (token: string): string => {
      try {
        return decodeContinue(token, prefix).start
      } catch (error) {
        return (error as Error).message
      }
    }
    const bad = 'invalid continue token: continue key is not valid'
    expect(catchMessage('garbage')).toBe(`${bad}: invalid character '\\u0081' looking for beginning of value`)
    expect(catchMessage(Buffer.from('{"v"').toString('base64url'))).toBe(`${bad}: unexpected end of JSON input`)
    expect(catchMessage('abc=')).toBe(`${bad}: illegal base64 data at input byte 3`)
  })
})
