import { newGenericServerResponse } from '@keelson/apimachinery'
import type { InstallerContext } from '../context.ts'
import { checkAcceptable, checkTakesJson } from '../preconditions.ts'
import { writeError } from '../write-error.ts'

const nowhere = { group: '', resource: '' }

/** A document that can only be read, in the forms that all have. */
export function serveDocument(c: InstallerContext, document: () => Response): Response {
  return readOnly(c, () => checkAcceptable(c, false), document)
}

/** The same of one that is JSON and nothing else. */
export function serveJsonDocument(c: InstallerContext, document: () => Response): Response {
  return readOnly(c, () => checkTakesJson(c), document)
}

function readOnly(c: InstallerContext, checkAccept: () => void, document: () => Response): Response {
  return serveAnyMethod(c, () => {
    if (c.req.method !== 'GET') throw newGenericServerResponse(405, c.req.method, nowhere, '')
    checkAccept()
    return document()
  })
}

/** What is answered to whoever asks, however. */
export function serveAnyMethod(c: InstallerContext, document: () => Response): Response {
  try {
    return document()
  } catch (error) {
    return writeError(c, error)
  }
}

/** Below what is there. */
export function writeNothingThere(c: InstallerContext): Response {
  return writeError(c, newGenericServerResponse(404, c.req.method, nowhere, ''))
}
