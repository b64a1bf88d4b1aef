/** Returns a part of a URL without percent-encoding, or as it is if that is not valid. */
export function decodeComponent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
