//! Cleans text from components and registers, so that it is safe to log, to store and to show to operators.
//!
//! Such text may forge log lines, reverse the direction of adjacent text, or be megabytes long. It passes [`one_line`]
//! once, where it enters the host. The data of a section is not changed here, because clients receive it as JSON.

/// Most characters of a reason: why a call failed, a source was not read, or a component was refused.
pub const REASON: usize = 500;

/// Most characters of a name: a code, a source, a counter's label.
pub const NAME: usize = 100;

/// Characters examined per character that may be kept, so that long runs of invisible characters end too.
const EXAMINED_PER_KEPT: usize = 4;

/// The text as one line: control characters and line breaks become spaces; format characters (bidirectional controls,
/// zero-width and tag characters) are removed. Text longer than `most` characters is cut and its length is appended.
#[must_use]
pub fn one_line(text: &str, most: usize) -> String {
    let mut line = String::with_capacity(text.len().min(most));
    let (mut kept, mut looked_at) = (0, 0);
    let mut rest = text.chars();
    while let Some(c) = rest.clone().next() {
        if kept == most || looked_at == most.saturating_mul(EXAMINED_PER_KEPT) {
            break;
        }
        rest.next();
        looked_at += 1;
        if is_format(c) {
            continue;
        }
        let breaks = c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
        line.push(if breaks { ' ' } else { c });
        kept += 1;
    }
    if !rest.as_str().is_empty() {
        line.push_str(&format!("… ({} bytes)", text.len()));
    }
    line
}

/// Cleans a text in place if necessary.
pub fn clean(text: &mut String, most: usize) {
    let is_clean = text.len() <= most
        && !text
            .chars()
            .any(|c| c.is_control() || is_format(c) || matches!(c, '\u{2028}' | '\u{2029}'));
    if !is_clean {
        *text = one_line(text, most);
    }
}

/// Whether a character is in Unicode's category Cf, which has no glyph, or a noncharacter of the BMP.
fn is_format(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{600}'..='\u{605}'
            | '\u{61c}'
            | '\u{6dd}'
            | '\u{70f}'
            | '\u{890}'..='\u{891}'
            | '\u{8e2}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{fffe}'..='\u{ffff}'
            | '\u{110bd}'
            | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_and_controls_become_spaces() {
        assert_eq!(
            one_line("a\nERROR b\r\x1b[31m\u{85}\u{2028}c\0", 100),
            "a ERROR b  [31m  c "
        );
    }

    #[test]
    fn format_characters_are_left_out() {
        assert_eq!(
            one_line("a\u{202e}b\u{2066}c\u{200b}\u{feff}\u{e0041}d", 100),
            "abcd"
        );
        assert_eq!(one_line("Čučoriedka – 1 €", 100), "Čučoriedka – 1 €");
    }

    #[test]
    fn long_text_is_cut_and_states_its_length() {
        assert_eq!(one_line("ššš", 3), "ššš");
        assert_eq!(one_line("šššš", 3), "ššš… (8 bytes)");
        let invisible = "\u{200b}".repeat(7 << 20);
        assert_eq!(one_line(&invisible, 10), format!("… ({} bytes)", 21 << 20));
    }

    #[test]
    fn clean_text_is_unchanged() {
        let mut text = "register /list: ended".to_owned();
        let before = text.as_ptr();
        clean(&mut text, REASON);
        assert_eq!(
            (text.as_str(), text.as_ptr()),
            ("register /list: ended", before)
        );
        clean(&mut text, 8);
        assert_eq!(text, "register… (21 bytes)");
    }
}
