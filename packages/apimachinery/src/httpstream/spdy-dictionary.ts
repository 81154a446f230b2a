const words =
  'options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow authorization cache-control ' +
  'connection content-base content-encoding content-language content-length content-location content-md5 content-range content-type date etag ' +
  'expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma ' +
  'proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade user-agent vary via warning ' +
  'www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie keep-alive origin'

const codesDatesAndTypes =
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative Information204 No Content' +
  '301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented' +
  '503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT' +
  'chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,public' +
  'privatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.'

/** The preset zlib dictionary of SPDY/3 headers. Client and server must use the same bytes. */
export const spdyDictionary: Buffer = Buffer.concat([
  ...words.split(' ').map((word) => {
    const bytes = Buffer.from(`\0\0\0\0${word.replace('_', ' ')}`, 'latin1')
    bytes.writeUInt32BE(word.length, 0)
    return bytes
  }),
  Buffer.from(codesDatesAndTypes, 'latin1'),
])

/** The Adler-32 checksum of the dictionary, which identifies it in a compressed stream. */
export const spdyDictionaryId = 0xe3c6a7c2
