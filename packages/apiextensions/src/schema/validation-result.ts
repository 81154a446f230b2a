import { fieldError, FieldPath } from '@keelson/apimachinery'
import type { FieldError, JsonValue } from '@keelson/apimachinery'

/**
 * A problem found by validation. `text` is the message of kube-openapi. Problems with the same text are one problem. `path` begins with a dot
 * for additional properties and required fields of the outermost object, as in kube-openapi.
 */
export interface Problem {
  readonly path: string
  readonly text: string
  /** Builds the error of the API. */
  readonly toError: (path: FieldPath | undefined, text: string) => FieldError
  /** False for problems that upstream reports without the path of the field. */
  readonly hasPath: boolean
}

/** Maximum number of problems that are kept. It is larger than the number of errors that one request reports. */
const maxProblems = 1100
/** Maximum length of the texts of all problems in characters. It is larger than the messages that a response reports. */
const maxLength = 2 * 1024 * 1024
/** Number of problems above which a set is used to find equal texts. */
const fewProblems = 8

/**
 * The problems of a value, and the number of its successful checks. If no alternative of `anyOf` or `oneOf` is valid, the problems of the one
 * with the most successful checks are reported.
 */
export class ValidationResult {
  readonly problems: Problem[] = []
  matches = 0
  #texts: Set<string> | undefined
  #length = 0

  get isValid(): boolean {
    return this.problems.length === 0
  }

  /** Whether the result takes no further problems. */
  get isFull(): boolean {
    return this.problems.length >= maxProblems || this.#length > maxLength
  }

  add(problem: Problem): void {
    if (this.isFull || this.#hasText(problem.text)) return
    this.problems.push(problem)
    this.#length += problem.text.length
    this.#texts?.add(problem.text)
  }

  merge(other: ValidationResult): void {
    this.matches += other.matches
    for (const problem of other.problems) this.add(problem)
  }

  /** Removes all problems of a value that an update does not change. */
  forgive(): void {
    this.problems.length = 0
    this.#length = 0
    this.#texts = undefined
  }

  toErrors(root: FieldPath | undefined): FieldError[] {
    return this.problems.map(({ path, text, hasPath, toError }) => toError(hasPath ? resolveErrorPath(path, root) : root, text))
  }

  #hasText(text: string): boolean {
    if (this.problems.length < fewProblems) return this.problems.some((problem) => problem.text === text)
    this.#texts ??= new Set(this.problems.map((problem) => problem.text))
    return this.#texts.has(text)
  }
}

function resolveErrorPath(path: string, root: FieldPath | undefined): FieldPath | undefined {
  if (path === '' || path === '.') return root
  return new FieldPath(path.startsWith('.') ? path.slice(1) : path, root)
}

type ToError = Problem['toError']

export function createProblem(path: string, text: string, toError: ToError): Problem {
  return { path, text, toError, hasPath: true }
}

/** Creates a problem whose error has no field and no value, such as that of an `anyOf`. */
export function createProblemWithoutField(text: string): Problem {
  return { path: '', text, toError: createInvalid(''), hasPath: false }
}

export function createInvalid(value: unknown): ToError {
  return (path, text) => fieldError.invalid(path, value, text)
}

export function createTypeInvalid(value: JsonValue): ToError {
  return (path, text) => fieldError.typeInvalid(path, value, text)
}
