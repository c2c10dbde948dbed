//! The place in the arguments, as a chain on the stack: pointers are written only for problems.

use crate::text::shorten;

/// Characters of a pointer.
const LONGEST: usize = 400;

#[derive(Debug, Clone, Copy)]
pub(crate) enum Path<'p> {
    Root,
    Key(&'p Path<'p>, &'p str),
    Item(&'p Path<'p>, usize),
}

impl<'p> Path<'p> {
    pub(crate) fn key(&'p self, key: &'p str) -> Self {
        Path::Key(self, key)
    }

    pub(crate) fn item(&'p self, index: usize) -> Self {
        Path::Item(self, index)
    }

    /// The JSON Pointer, cut where it is longer than any real one.
    pub(crate) fn pointer(&self) -> String {
        let mut text = String::with_capacity(64);
        self.write(&mut text);
        // A character is a byte at least.
        if text.len() <= LONGEST { text } else { shorten(&text, LONGEST) }
    }

    fn write(&self, text: &mut String) {
        match self {
            Path::Root => {}
            Path::Key(above, key) => {
                above.write(text);
                text.push('/');
                if key.len() <= LONGEST && !key.contains(['~', '/']) {
                    return text.push_str(key);
                }
                for c in key.chars().take(LONGEST) {
                    match c {
                        '~' => text.push_str("~0"),
                        '/' => text.push_str("~1"),
                        c => text.push(c),
                    }
                }
            }
            Path::Item(above, index) => {
                above.write(text);
                text.push('/');
                text.push_str(&index.to_string());
            }
        }
    }
}
