/** Function names of binary operators by operator. */
export const binaryOperators: ReadonlyMap<string, string> = new Map([
  ['&&', '_&&_'],
  ['||', '_||_'],
  ['==', '_==_'],
  ['!=', '_!=_'],
  ['<', '_<_'],
  ['<=', '_<=_'],
  ['>', '_>_'],
  ['>=', '_>=_'],
  ['in', '@in'],
  ['+', '_+_'],
  ['-', '_-_'],
  ['*', '_*_'],
  ['/', '_/_'],
  ['%', '_%_'],
])

export const operators = {
  conditional: '_?_:_',
  and: '_&&_',
  or: '_||_',
  not: '!_',
  negate: '-_',
  equals: '_==_',
  add: '_+_',
  index: '_[_]',
  optionalIndex: '_[?_]',
  optionalSelect: '_?._',
  notStrictlyFalse: '@not_strictly_false',
} as const
