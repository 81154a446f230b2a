/** Returns the candidate with the smallest edit distance; undefined if none is close enough to be a typo. */
export function findClosestMatch(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined
  let bestDistance = Math.max(2, Math.ceil(word.length / 3))
  for (const candidate of candidates) {
    const distance = isShortened(word, candidate) ? 1 : editDistance(word, candidate)
    if (distance < bestDistance || (distance === bestDistance && best === undefined)) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/**
 * Returns whether the word is a shortened form of the candidate: its beginning, or some of its parts. "token" and "token-file" are short forms of
 * "token-auth-file".
 */
function isShortened(word: string, candidate: string): boolean {
  const words = candidate.split('-')
  return word.length >= 3 && (candidate.startsWith(word) || word.split('-').every((part) => words.includes(part)))
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}
