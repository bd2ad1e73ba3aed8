//! Markdown to HTML, with anchors, rewritten links and the text of each section for the search index.

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use super::{GUIDES, Guide};

/// A guide that is rendered as HTML.
pub(super) struct Page {
    pub(super) slug: &'static str,
    pub(super) group: &'static str,
    /// The text of its first heading.
    pub(super) title: String,
    pub(super) html: String,
    pub(super) sections: Vec<Section>,
}

/// A heading and the text up to the next one.
pub(super) struct Section {
    /// The anchor; empty for the page's title.
    pub(super) id: String,
    pub(super) heading: String,
    pub(super) text: String,
    /// Whether the table of contents lists it.
    pub(super) is_chapter: bool,
}

impl Page {
    pub(super) fn address(&self) -> String {
        format!("/docs/{}", self.slug)
    }
}

pub(super) fn page(guide: &Guide) -> Page {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let events: Vec<Event<'_>> = Parser::new_ext(guide.markdown, options).collect();
    let mut renderer = Renderer::default();
    for (at, event) in events.iter().enumerate() {
        renderer.add(event, &events[at + 1..]);
    }
    let mut rendered = String::new();
    html::push_html(&mut rendered, renderer.events.into_iter());
    let mut sections = renderer.sections;
    for section in &mut sections {
        let words: Vec<&str> = section.text.split_whitespace().collect();
        section.text = words.join(" ");
    }
    let title = sections.first().map(|section| section.heading.clone());
    Page {
        slug: guide.slug,
        group: guide.group,
        title: title.unwrap_or_default(),
        html: rendered,
        sections,
    }
}

#[derive(Default)]
struct Renderer<'a> {
    events: Vec<Event<'a>>,
    sections: Vec<Section>,
    in_heading: bool,
}

impl<'a> Renderer<'a> {
    fn add(&mut self, event: &Event<'a>, following: &[Event<'a>]) {
        if let Event::Start(Tag::Heading { level, .. }) = event {
            self.begin_section(*level, text_of(following));
        } else if let Event::End(TagEnd::Heading(level)) = event {
            let link = if *level == HeadingLevel::H1 {
                ""
            } else {
                "</a>"
            };
            self.html(format!("{link}</{level}>\n"));
            self.in_heading = false;
        } else if let Event::Start(Tag::Link {
            link_type,
            dest_url,
            title,
            id,
        }) = event
        {
            self.events.push(Event::Start(Tag::Link {
                link_type: *link_type,
                dest_url: CowStr::from(target(dest_url)),
                title: title.clone(),
                id: id.clone(),
            }));
        } else {
            self.add_text(event);
            // Wide tables scroll by themselves on narrow screens.
            if matches!(event, Event::Start(Tag::Table(_))) {
                self.html("<div class=\"table\">".to_owned());
            }
            self.events.push(event.clone());
            if matches!(event, Event::End(TagEnd::Table)) {
                self.html("</div>".to_owned());
            }
        }
    }

    fn html(&mut self, text: String) {
        self.events.push(Event::Html(CowStr::from(text)));
    }

    /// Starts a heading; those below the title link to themselves.
    fn begin_section(&mut self, level: HeadingLevel, heading: String) {
        let id = if level == HeadingLevel::H1 {
            String::new()
        } else {
            self.unique(anchor(&heading))
        };
        self.html(if id.is_empty() {
            format!("<{level}>")
        } else {
            format!("<{level} id=\"{id}\"><a class=\"anchor\" href=\"#{id}\">")
        });
        self.sections.push(Section {
            id,
            heading,
            text: String::new(),
            is_chapter: level == HeadingLevel::H2,
        });
        self.in_heading = true;
    }

    fn unique(&self, anchor: String) -> String {
        let is_taken = |id: &str| self.sections.iter().any(|section| section.id == id);
        if !is_taken(&anchor) {
            return anchor;
        }
        let mut numbered = (1..).map(|number| format!("{anchor}-{number}"));
        numbered.find(|id| !is_taken(id)).unwrap_or_default()
    }

    /// Adds to the text of the current section.
    fn add_text(&mut self, event: &Event<'_>) {
        if self.in_heading {
            return;
        }
        let Some(section) = self.sections.last_mut() else {
            return;
        };
        if let Event::Text(text) | Event::Code(text) = event {
            section.text.push_str(text);
        } else if matches!(event, Event::SoftBreak | Event::HardBreak) || ends_block(event) {
            section.text.push(' ');
        }
    }
}

/// Whether the following text belongs to another word.
fn ends_block(event: &Event<'_>) -> bool {
    matches!(event, Event::End(end) if !matches!(end, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link))
}

/// The text up to the end of the heading.
fn text_of(events: &[Event<'_>]) -> String {
    let inner = events
        .iter()
        .take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    let texts = inner.filter_map(|event| {
        if let Event::Text(text) | Event::Code(text) = event {
            Some(text.as_ref())
        } else {
            None
        }
    });
    texts.collect()
}

/// The anchor of a heading, as GitHub forms it, so that links work in both places.
fn anchor(heading: &str) -> String {
    let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    let kept: String = heading.chars().filter(is_kept).collect();
    kept.to_lowercase().replace(' ', "-")
}

/// The address of a link: files of guides become their pages, everything else stays.
fn target(link: &str) -> String {
    let (file, fragment) = link.split_once('#').unwrap_or((link, ""));
    let Some(guide) = GUIDES.iter().find(|guide| guide.file == file) else {
        return link.to_owned();
    };
    let page = format!("/docs/{}", guide.slug);
    if fragment.is_empty() {
        page
    } else {
        format!("{page}#{fragment}")
    }
}
