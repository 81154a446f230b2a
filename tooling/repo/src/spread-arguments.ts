/** A spread among the arguments of a call: `list.push(...items)`. */
export interface SpreadArgument {
  readonly line: number
  /** The called function as written, for example `errors.push`. */
  readonly callee: string
  /** The spread expression. */
  readonly spread: string
}

/**
 * Finds spreads in the arguments of calls. Each item of the list becomes an argument on the stack, so a long list makes the call fail with
 * a RangeError. Ignores comments, string literals, rest parameters, and spreads in arrays and objects.
 */
export function findSpreadArguments(source: string): SpreadArgument[] {
  const code = blankComments(source)
  const spreads: SpreadArgument[] = []
  const open: number[] = []
  for (let i = 0; i < code.length; i++) {
    const c = code[i]!
    if (c === '(' || c === '[' || c === '{') open.push(i)
    else if (c === ')' || c === ']' || c === '}') open.pop()
    else if (code.startsWith('...', i)) {
      const start = open.at(-1)
      const callee = start === undefined || code[start] !== '(' ? undefined : readCalleeBefore(code, start)
      if (callee !== undefined && !isParameterList(code, start!)) {
        spreads.push({ line: code.slice(0, i).split('\n').length, callee, spread: source.slice(i + 3, endOfArgument(code, i + 3)).trim() })
      }
      i += 2
    }
  }
  return spreads
}

function readCalleeBefore(code: string, at: number): string | undefined {
  const before = code.slice(Math.max(0, at - 200), at)
  const callee = /[\w$.?!#)\]>]+$/.exec(before)?.[0]
  if (callee === undefined || /^(?:if|while|for|switch|return|function|async|await|typeof)$/.test(callee)) return undefined
  return callee
}

/** Returns whether the parentheses at `start` contain the parameters of a function, and not arguments of a call. */
function isParameterList(code: string, start: number): boolean {
  const end = endOfGroup(code, start)
  return (
    /^\)\s*(?::[^?]*?)?(?:=>|\{)/.test(code.slice(end, end + 200)) ||
    /(?:^|\s)function\s*[\w$]*\s*$/.test(code.slice(0, start)) ||
    isMethodSignature(code, start, end)
  )
}

function isMethodSignature(code: string, start: number, end: number): boolean {
  return /^\)\s*:/.test(code.slice(end, end + 20)) && /\.\.\.\w+\s*:/.test(code.slice(start, end))
}

function endOfGroup(code: string, start: number): number {
  let depth = 0
  for (let i = start; i < code.length; i++) {
    const c = code[i]!
    if (c === '(' || c === '[' || c === '{') depth++
    else if ((c === ')' || c === ']' || c === '}') && --depth === 0) return i
  }
  return code.length
}

function endOfArgument(code: string, start: number): number {
  let depth = 0
  for (let i = start; i < code.length; i++) {
    const c = code[i]!
    if (c === '(' || c === '[' || c === '{') depth++
    else if (c === ')' || c === ']' || c === '}') {
      if (depth-- === 0) return i
    } else if (c === ',' && depth === 0) return i
  }
  return code.length
}

/** Replaces comments, string literals and regular expressions with spaces. Keeps the length of the source. */
function blankComments(source: string): string {
  const blankText = (text: string): string => text.replace(/[^\n]/g, ' ')
  return source.replace(
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|(?<=[=(,:!&|?[{;\s])\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuvy]*/g,
    (text) => (/^['"]/.test(text) ? `"${blankText(text.slice(2))}"` : blankText(text)),
  )
}
